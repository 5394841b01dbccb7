/** Returns the code of an error of the system (`ENOENT`) or of Node (`ERR_…`); undefined if there is none. */
export const errorCode = (thrown: unknown): string | undefined =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
