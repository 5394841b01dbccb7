import { setFlagsFromString } from 'node:v8'
import { connectToPrimary } from '../server/workers/worker-link.ts'
import { MISUSE, runCommand, runProgram } from './program.ts'
import { serve } from './serve.ts'

/** What the program does besides serving, by its first argument; `convert` and `upgrade-report` are programs of their own. */
const COMMANDS: ReadonlyMap<string, (argv: readonly string[]) => Promise<number>> = new Map([
  ['assets', async argv => (await import('./assets/write-assets.ts')).runAssets(argv)],
  ['kubeconfig', async argv => (await import('./kubeconfig-command.ts')).runKubeconfig(argv)],
  ['etcd-stand-in', async argv => (await import('./assets/etcd-stand-in.ts')).runStandIn(argv)],
])

/** Runs the program in this process, which is its own. */
export function main(): void {
  // What small buffers are cut from: Node's own 8 KB hold three objects, and making one costs more than filling it.
  Buffer.poolSize = 64 * 1024
  // Little survives a young collection here: helpers, once they have no processor to run on, hold it up ten times as long as they would help it.
  setFlagsFromString('--no-parallel-scavenge')
  const command = COMMANDS.get(process.argv[2] ?? '')
  if (command !== undefined) {
    // Of every command, 2 is an error: 1 is what it has found.
    runCommand(() => command(process.argv.slice(3)), MISUSE)
    return
  }
  const link = connectToPrimary(process)
  runProgram(process.argv.slice(2), {
    ...(link && { worker: link.number }),
    serve: async (config, log) =>
      link === undefined && config.workers > 1 ? (await import('./primary.ts')).runPrimary(config, log) : serve(config, log, link),
  })
}
