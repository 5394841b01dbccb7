/** The code of an error of the system (`ENOENT`) or of Node (`ERR_…`); undefined where what was thrown has none. */
export const errorCode = (thrown: unknown): string | undefined =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
