/** The message of what was thrown, which anything may be. */
export const errorMessage = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))
