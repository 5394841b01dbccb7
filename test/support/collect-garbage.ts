import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Collects all garbage: what a WeakRef still gives afterwards is kept by somebody. */
export async function collectGarbage(): Promise<void> {
  // What a WeakRef was asked for stays until its turn is over.
  await new Promise(setImmediate)
  collect()
}
