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

/** Starts a server with each list of flags, one after another, in one process with this beginning of its command line. */
async function startedBy(prefix: readonly string[], lists: readonly (readonly string[])[]): Promise<unknown[]> {
  const flags = lists.map(more => ['--service-account-issuer=https://issuer.example', ...more])
  const command = [...prefix, process.execPath, '--import', 'tsx', ASK, await serverProgram(), JSON.stringify(flags)]
  return JSON.parse((await run(command[0] as string, command.slice(1))).stdout)
}

/** Ready, with all that a cluster has from the start, and no endpoints. */
const COMPLETE = { clusterRoles: 66, services: 1, endpoints: 0, slices: 0, isKeySetHere: true, warnings: [] }

const REACHED_BY_NONE = [[], ['--advertise-address=127.0.0.1']]
const WITHOUT_NETWORK = [[], ['--bind-address=0.0.0.0'], ['--bind-address=0.0.0.0', '--advertise-address=127.0.0.1']]

describe('a server that other machines cannot reach', () => {
  let answers: unknown[] = []
  before(async () => {
    answers = await startedBy([], REACHED_BY_NONE)
  })

  it('is ready by default, and publishes no endpoints without a listener', () => expect(answers[0]).to.deep.equal(COMPLETE))

  it('is ready with a loopback address as --advertise-address', () => expect(answers[1]).to.deep.equal(COMPLETE))
})

const skip = whyNotOffline()

;(skip ? describe.skip : describe)(`a server without a network${skip ? ` (skipped: ${skip})` : ''}`, () => {
  let answers: unknown[] = []
  before(async () => {
    answers = await startedBy(OFFLINE, WITHOUT_NETWORK)
  })

  for (const [i, flags] of WITHOUT_NETWORK.entries())
    it(`is ready: ${flags.join(' ') || 'no flags'}`, () => expect(answers[i]).to.deep.equal(COMPLETE))
})
