import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type StartedServer, startBinnacle } from '../support/started-server.ts'

const folder = join(import.meta.dirname, 'client-go')
const BUILD_MS = 600_000

/** The program in client-go/, built; or why there is none. Modules are downloaded only where CLIENT_GO is set: there are many of them. */
function build(directory: string): { program: string } | { missing: string } {
  if (spawnSync('go', ['version']).status !== 0) return { missing: 'there is no Go' }
  const program = join(directory, 'client-go')
  const env = { ...process.env, GOFLAGS: '-mod=readonly', ...(process.env.CLIENT_GO === undefined && { GOPROXY: 'off' }) }
  const { status, stderr } = spawnSync('go', ['build', '-o', program, '.'], { cwd: folder, env, encoding: 'utf8', timeout: BUILD_MS })
  if (status === 0) return { program }
  if (process.env.CLIENT_GO === undefined && /GOPROXY|module lookup disabled|toolchain/.test(stderr))
    return { missing: 'client-go is not in the module cache; CLIENT_GO=1 fetches it' }
  throw new Error(`client-go/ does not build:\n${stderr}`)
}

const SEEN = `listed 1 map[a:ü applied:1 b:c patched:1] map[bytes:[0 1 255]]
ADDED 1
MODIFIED 2
MODIFIED 3
MODIFIED 4
DELETED 4
error: configmaps "nobody" not found
deployment 2 RollingUpdate 25%
scale 5
lease 2147483647 true
informer true
metadata default
metadata kube-node-lease
metadata kube-public
metadata kube-system
discovery true
`

describe('client-go 0.33', function () {
  this.timeout(BUILD_MS + 60_000)
  let directory: string
  let server: StartedServer | undefined
  let program = ''
  before(async function () {
    directory = mkdtempSync(join(tmpdir(), 'binnacle-client-go-'))
    const built = build(directory)
    if ('missing' in built) {
      this.test!.title = `skipped: ${built.missing}`
      this.skip()
    }
    program = built.program
    server = await startBinnacle(['--feature-gates=CBORServingAndStorage=true'])
  })
  after(async () => {
    await server?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  for (const type of ['application/json', 'application/vnd.kubernetes.protobuf', 'application/cbor'])
    it(`creates, reads, lists, watches, applies and deletes in ${type}`, () => {
      const env = { ...process.env, KUBE_FEATURE_ClientsAllowCBOR: 'true' }
      const { stdout, stderr } = spawnSync(program, [(server as StartedServer).kubeconfig, type], { env, encoding: 'utf8', timeout: 60_000 })
      expect(`${stdout}${stderr}`).to.equal(SEEN)
    })
})
