/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, string>> = {
  conditions: 'texts without an input: test/unit/controllers/namespace.test.ts has them',
}
