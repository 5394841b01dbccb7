import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Collects all garbage. An object that a WeakRef still returns afterwards is referenced. */
export async function collectGarbage(): Promise<void> {
  // The target of a WeakRef is kept until the end of the turn in which it was read.
  await new Promise(setImmediate)
  collect()
}
