export const ROOT: string;
export function filesBelow(dir: string, wanted: RegExp): string[];
export function checkLayers(root: string, mayUse?: Record<string, string[]>): string[];
export function checkGlobals(file: string, text: string): string[];
export function checkCells(file: string, text: string): string[];
export function checkDoors(files: { file: string; text: string }[], doors?: string[][]): string[];
export function checkFrames(file: string, text: string): string[];
export function checkScript(file: string, text: string): string[];
export function lint(root?: string): string[];
