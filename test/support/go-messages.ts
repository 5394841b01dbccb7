import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface GoMessage {
  /** A type of the core group. */
  readonly type: string
  readonly old: object
  readonly next: object
  readonly diff: string
  readonly print?: string
}

export const goMessages = (): GoMessage[] => JSON.parse(readFileSync(join(import.meta.dirname, '..', 'fixtures', 'go-messages', 'cases.json'), 'utf8'))
