import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../src/api/meta/object.ts'

export interface GoMessage {
  /** A type of the core group. */
  readonly type: string
  readonly old: JsonObject
  readonly next: JsonObject
  readonly diff: string
  readonly print?: string
}

export const goMessages = (): GoMessage[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, '..', 'fixtures', 'go-messages', 'cases.json'), 'utf8'))
