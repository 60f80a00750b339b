export function messagesOf(bundle: Record<string, string>): Record<string, { message: string; placeholders?: Record<string, { content: string }> }>;
export function compileLocales(srcDir: string): { relativeDest: string; contents: string }[];
