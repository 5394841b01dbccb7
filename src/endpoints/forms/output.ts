import type { Transform } from '../../codec/negotiate.ts'

/** What a client accepts, as negotiation reads it. */
export interface Output {
  readonly mediaType: string
  readonly pretty: boolean
  /** Another kind than the resource's own: a Table, or metadata alone. */
  readonly as?: Transform
}
