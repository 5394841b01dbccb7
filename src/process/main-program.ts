import { setFlagsFromString } from 'node:v8'
import { connectToPrimary } from '../server/workers/worker-link.ts'
import { runPrimary } from './primary.ts'
import { runProgram } from './program.ts'
import { serve } from './serve.ts'

/** Runs the program in this process, which is its own. */
export function main(): void {
  // What small buffers are cut from: Node's own 8 KB hold three objects, and making one costs more than filling it.
  Buffer.poolSize = 64 * 1024
  // Little survives a young collection here: helpers, once they have no processor to run on, hold it up ten times as long as they would help it.
  setFlagsFromString('--no-parallel-scavenge')
  const link = connectToPrimary(process)
  runProgram(process.argv.slice(2), {
    ...(link && { worker: link.number }),
    serve: (config, log) => (link === undefined && config.workers > 1 ? runPrimary(config, log) : serve(config, log, link)),
  })
}
