/** Whether the pattern equals the text, or is a prefix of it followed by `*`. */
export const matchesTrailingStar = (pattern: string, text: string): boolean =>
  pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : pattern === text
