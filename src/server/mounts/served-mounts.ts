import type { ChainOptions } from '../handler-chain.ts'
import type { Listener } from '../http/any-http.ts'

/** Serves mounts in front of a listener's application. Declared separately, so that the implementation is only loaded if there are mounts. */
export interface ServedMounts {
  serving<T extends (...args: Parameters<Listener>) => Promise<void>>(app: T, options: ChainOptions): (...args: Parameters<Listener>) => Promise<void>
}
