type Result = Record<string, unknown>;
export const better: { item: number | string; why: string; explains(name: string, theirs: Result, ours: Result): boolean }[];
