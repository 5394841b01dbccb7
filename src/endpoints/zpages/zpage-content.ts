import type { Features } from '../../lifecycle/gates.ts'
import type { Document } from '../forms/response-form.ts'

/** Content of a page in its two forms. */
export interface ZPageContent {
  /** Kind of the structured form. */
  readonly kind: 'Flagz' | 'Statusz'
  /** Returns the page as plain text. */
  text(): Promise<string>
  /** Returns the structured form. Members are in the order in which Go writes them. */
  document(apiVersion: string): Promise<Document>
}

/** Data that the pages show. */
export interface ZPageSource {
  readonly features: Features
  /** Version of the program, without a leading `v`. */
  readonly programVersion: string
  /** Version of the language runtime. */
  readonly runtimeVersion: string
  /** Start of the process, in milliseconds since the epoch. */
  readonly startedAt: number
  /** Whether structured pages are offered in CBOR, too. */
  readonly cbor: boolean
  /** Returns the value of each flag. Confidential values are redacted. */
  flags(): Promise<ReadonlyMap<string, string>>
}
