import { readFileSync } from 'node:fs'

/** The rows of a table in test/fixtures/apply. */
export const fixture = <T>(name: string): T[] =>
  JSON.parse(readFileSync(new URL(`../../fixtures/apply/${name}.json`, import.meta.url), 'utf8')) as T[]
