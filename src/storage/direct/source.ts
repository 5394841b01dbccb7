import type { Backend } from '../backend.ts'
import type { CorruptReports } from '../corrupt.ts'
import type { ResourceCodec } from '../storage.ts'

/** Where and how the objects of one resource are read. */
export interface StoreSource {
  readonly backend: Backend
  readonly codec: ResourceCodec
  /** How unreadable objects are reported. */
  readonly reports: CorruptReports
}
