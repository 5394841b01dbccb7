import { setFlagsFromString } from 'node:v8'
import { setDefaultSecurityLevel } from '../server/tls/tls-policy.ts'
import { MISUSE, runCommand, runProgram } from './program.ts'
import { serve } from './serve.ts'
import { connectToPrimary } from './workers/worker-link.ts'

/**
 * Commands by the first argument. Without one, the program serves. `convert` and `upgrade-report` are separate
 * programs.
 */
const COMMANDS: ReadonlyMap<string, (argv: readonly string[]) => Promise<number>> = new Map([
  ['assets', async argv => (await import('./assets/write-assets.ts')).runAssets(argv)],
  ['kubeconfig', async argv => (await import('./kubeconfig-command.ts')).runKubeconfig(argv)],
  ['etcd-stand-in', async argv => (await import('./assets/etcd-stand-in.ts')).runStandIn(argv)],
])

/**
 * Runs the program. Sets V8 flags, the default ciphers and the exit code of the process, so programs that start servers
 * must not call it.
 */
export function main(): void {
  // Pool of small buffers. Node's default of 8 KB holds three objects, and allocating a pool costs more than filling
  // it.
  Buffer.poolSize = 64 * 1024
  // Few objects survive a scavenge. Helper threads that get no processor delay it by ten times what they would save.
  setFlagsFromString('--no-parallel-scavenge')
  setDefaultSecurityLevel()
  const command = COMMANDS.get(process.argv[2] ?? '')
  if (command !== undefined) {
    // Commands exit with 2 on errors. 1 is the code of findings.
    runCommand(() => command(process.argv.slice(3)), MISUSE)
    return
  }
  const link = connectToPrimary(process)
  runProgram(process.argv.slice(2), {
    ...(link && { worker: link.number }),
    serve: async (config, log) =>
      link === undefined && config.process.workers > 1 ? (await import('./primary.ts')).runPrimary(config, log) : serve(config, log, link),
  })
}
