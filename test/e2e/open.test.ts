import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { expect } from 'chai'
import { readKubeconfig } from '../../src/clients/cluster-access.ts'
import { ClusterClient } from '../../src/clients/cluster-client.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const FIXTURES = join(root, 'test/fixtures/etcd-snapshots')

describe('binnacle open', () => {
  let directory: string
  let child: ChildProcess | undefined
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
  })
  afterEach(() => {
    child?.kill('SIGTERM')
    rmSync(directory, { recursive: true })
  })

  /**
   * Returns the output of the command until its server is ready, or the command ends. Its temporary directory is below
   * that of the test.
   */
  async function opened(...argv: string[]): Promise<string> {
    let said = ''
    child = spawn(join(root, 'bin/binnacle'), ['open', ...argv], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TMPDIR: directory },
    })
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (said += text.toString()))
    while (!said.includes('to use it') && child.exitCode === null) await sleep(20)
    return said
  }

  it('serves a backup read-only, and leaves no file behind', async () => {
    const snapshot = join(directory, 'snapshot.db')
    const kubeconfig = join(directory, 'kubeconfig')
    writeFileSync(snapshot, brotliDecompressSync(readFileSync(join(FIXTURES, 'etcd-3.5.db.br'))))
    expect(
      await opened(snapshot, '--kubeconfig-out', kubeconfig, '--encryption-provider-config', join(FIXTURES, 'encryption.yaml')),
    ).to.contain('204 objects imported')
    const client = new ClusterClient(readKubeconfig(kubeconfig))
    expect(await client.json('/api/v1/namespaces/shop/secrets/password')).to.have.nested.property('data.password', 'aHVudGVyMg==')
    client.close()
    await branched(kubeconfig)
    expect(readdirSync(directory).filter(name => name.startsWith('binnacle-open-'))).to.have.length(1)
    child?.kill('SIGINT')
    await once(child as ChildProcess, 'exit')
    expect(readdirSync(directory).filter(name => name.startsWith('binnacle-open-'))).to.deep.equal([])
    expect(existsSync(snapshot)).to.equal(true)
  })

  /** Writes to a branch of what is opened, and to nothing else. */
  async function branched(kubeconfig: string): Promise<void> {
    const made = spawnSync(join(root, 'bin/binnacle'), ['branch', 'trial', '--kubeconfig', kubeconfig], { encoding: 'utf8' })
    expect(made.status, made.stderr).to.equal(0)
    const branch = join(directory, 'trial')
    writeFileSync(branch, made.stdout)
    const tried = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'tried' } }
    const create = async (path: string): Promise<unknown> => {
      const client = new ClusterClient(readKubeconfig(path))
      try {
        return await client.send('POST', '/api/v1/namespaces/shop/configmaps', tried)
      } catch (error) {
        return error
      } finally {
        client.close()
      }
    }
    expect(await create(kubeconfig)).to.have.property('status', 405)
    expect(await create(branch)).to.have.nested.property('metadata.name', 'tried')
  }

  it('serves a file of objects, and rejects other files', async () => {
    const file = join(directory, 'objects.yaml')
    writeFileSync(file, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n---\nkind: x\n')
    expect(await opened(file))
      .to.contain('1 object imported')
      .and.to.contain('had no uid and got one')
    child?.kill('SIGTERM')
    await once(child as ChildProcess, 'exit')
    expect(await opened(join(directory, 'nothing'))).to.contain('Error: ')
    expect(child?.exitCode).to.equal(2)
  })
})
