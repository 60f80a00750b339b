export function pageSource(srcDir: string): Promise<string>;
