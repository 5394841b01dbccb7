import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { serverProgram } from '../support/server-program.ts'

const run = promisify(execFile)
const ASK = join(import.meta.dirname, '../support/ask-started-server.ts')
/** A network of its own in which there is loopback alone, as on a laptop that is offline. */
const OFFLINE = ['unshare', '--map-root-user', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']

function whyNotOffline(): string | undefined {
  try {
    execFileSync(OFFLINE[0] as string, [...OFFLINE.slice(1), 'true'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'unshare makes no network namespaces here'
  }
}

async function startedBy(prefix: readonly string[], ...flags: string[]): Promise<unknown> {
  const command = [
    ...prefix,
    process.execPath,
    '--import',
    'tsx',
    ASK,
    await serverProgram(),
    '--service-account-issuer=https://issuer.example',
    ...flags,
  ]
  return JSON.parse((await run(command[0] as string, command.slice(1))).stdout)
}

/** Ready, with all that a cluster has from the start, and no endpoints. */
const COMPLETE = { clusterRoles: 66, services: 1, endpoints: 0, slices: 0, isKeySetHere: true, warnings: [] }

describe('a server that other machines cannot reach', () => {
  it('is ready by default, and publishes no endpoints without a listener', async () => expect(await startedBy([])).to.deep.equal(COMPLETE))

  it('is ready with a loopback address as --advertise-address', async () =>
    expect(await startedBy([], '--advertise-address=127.0.0.1')).to.deep.equal(COMPLETE))

  const skip = whyNotOffline()
  for (const flags of [[], ['--bind-address=0.0.0.0'], ['--bind-address=0.0.0.0', '--advertise-address=127.0.0.1']])
    (skip ? it.skip : it)(`is ready without a network: ${flags.join(' ') || 'no flags'}${skip ? ` (skipped: ${skip})` : ''}`, async () =>
      expect(await startedBy(OFFLINE, ...flags)).to.deep.equal(COMPLETE),
    )
})
