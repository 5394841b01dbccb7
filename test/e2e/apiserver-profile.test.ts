import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { KubeObject } from '../../src/api/meta/object.ts'
import { createProbeClient } from '../support/probe/client.ts'
import { serverCommand } from '../support/server-program.ts'

const root = join(import.meta.dirname, '..', '..')
const START_MS = 120_000

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + START_MS; !(await isSo()); await sleep(20))
    if (Date.now() > end) throw new Error(`it did not happen: ${what}`)
}

/** A server under the profile, started in a directory of its own without a place for its data. */
class Apiserver {
  readonly directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
  log = ''
  #child: ChildProcess | undefined

  async start(): Promise<void> {
    const [command, ...first] = await serverCommand()
    this.#child = spawn(command, [...first, '--profile=apiserver', '--secure-port=0'], {
      cwd: this.directory,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child.stderr?.on('data', (data: Buffer) => {
      this.log += data.toString()
    })
    await until('it serves', async () => this.kubeconfig !== '')
  }

  get kubeconfig(): string {
    return /kubeconfig=(\S+)/.exec(this.log)?.[1] ?? ''
  }

  async stop(): Promise<void> {
    if (this.#child?.exitCode === null) {
      const ended = once(this.#child, 'exit')
      this.#child.kill('SIGTERM')
      await ended
    }
  }
}

describe('--profile=apiserver', () => {
  const server = new Apiserver()
  before(() => server.start())
  after(async () => {
    await server.stop()
    rmSync(server.directory, { recursive: true, force: true })
  })

  it('serves like kube-apiserver, and runs no controllers', async () => {
    const client = createProbeClient(server.kubeconfig)
    const get = async (path: string): Promise<{ status: number; text: string }> => {
      const { status, body } = await client.ask('GET', path)
      return { status, text: body.toString() }
    }
    const namesIn = async (path: string): Promise<string[]> =>
      JSON.parse((await get(path)).text).items.map((one: KubeObject) => one.metadata.name)
    try {
      await until('it is ready', async () => (await get('/readyz')).status === 200)
      expect(await namesIn('/api/v1/namespaces')).to.have.members(['default', 'kube-node-lease', 'kube-public', 'kube-system'])
      expect((await get('/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin')).status).to.equal(200)
      const going = { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'going' } }
      const made = await client.ask('POST', '/api/v1/namespaces', {
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify(going)),
      })
      expect(made.status).to.equal(201)
      await client.ask('DELETE', '/api/v1/namespaces/going')
      // As long as the controllers of a cluster take to fill a namespace, and to empty one that is going.
      await sleep(1500)
      expect(JSON.parse((await get('/api/v1/namespaces/going')).text).status.phase).to.equal('Terminating')
      expect(await namesIn('/api/v1/configmaps')).not.to.include('kube-root-ca.crt')
      expect(await namesIn('/api/v1/serviceaccounts')).to.deep.equal([])
    } finally {
      client.close()
    }
  })

  it('supports all default plugins', () => expect(server.log).not.to.contain('not implemented plugins='))

  it('writes no file to the working directory, and removes its temporary directory', async () => {
    expect(readdirSync(server.directory)).to.deep.equal([])
    const made = dirname(server.kubeconfig)
    expect(existsSync(made)).to.equal(true)
    await server.stop()
    expect(existsSync(made)).to.equal(false)
  })

  it('is implied by the name kube-apiserver', () => {
    const directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
    try {
      cpSync(join(root, 'bin'), join(directory, 'bin'), { recursive: true })
      writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
      mkdirSync(join(directory, 'dist'))
      writeFileSync(join(directory, 'dist', 'main.cjs'), 'exports.main = () => console.log(JSON.stringify(process.argv.slice(2)))')
      const argumentsOf = (name: string): unknown =>
        JSON.parse(spawnSync(process.execPath, [join(directory, 'bin', name), '--v=1'], { encoding: 'utf8' }).stdout || 'null')
      expect(argumentsOf('kube-apiserver')).to.deep.equal(['--profile=apiserver', '--v=1'])
      expect(argumentsOf('binnacle')).to.deep.equal(['--v=1'])
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
