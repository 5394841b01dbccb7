import type { Backend } from '../backend.ts'
import type { CorruptReports } from '../corrupt.ts'
import type { ResourceCodec } from '../storage.ts'

/** Where the objects of one resource are read from, and how. */
export interface Source {
  readonly backend: Backend
  readonly codec: ResourceCodec
  /** How objects that can't be read are reported. */
  readonly reports: CorruptReports
}
