import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { EmbeddedPackage } from '../../hack/support/embedded-packages.ts'
import { makeExecutable } from '../../hack/support/executable.ts'
import { licencesOf } from '../../hack/support/licences.ts'
import { sbomOf } from '../../hack/support/sbom.ts'
import { findEtcd, startEtcd } from '../support/etcd.ts'
import { createJsonClient } from '../support/json-client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { workerPids } from '../support/worker-processes.ts'

const root = join(import.meta.dirname, '..', '..')
const isBuilt = existsSync(join(root, 'dist/main.cache'))
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

;(isBuilt ? describe : describe.skip)(`the single executable${isBuilt ? '' : ' (skipped: dist is not built)'}`, () => {
  let directory = ''
  let executable = ''
  let packages: EmbeddedPackage[] = []
  const children: ChildProcess[] = []

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
    executable = join(directory, 'binnacle')
    packages = await makeExecutable({ root, scratch: join(directory, 'scratch'), executable })
    rmSync(join(directory, 'scratch'), { recursive: true })
  })
  after(() => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  })

  /** Environment without Node or any other program on the path. */
  const bare = (): NodeJS.ProcessEnv => ({ PATH: '/nowhere', TMPDIR: directory })
  const run = (program: string, ...args: string[]): string => execFileSync(program, args, { encoding: 'utf8', env: bare() })

  async function withServer(flags: readonly string[], use: (server: ServerProcess) => Promise<void>): Promise<void> {
    const server = await createServerProcess(flags, executable)
    try {
      await server.start()
      await use(server)
    } finally {
      await server.stop()
    }
  }

  it('needs no Node, and leaves no files behind', () => {
    expect(run(executable, '--version')).to.match(/^Kubernetes v1\.33\./)
    expect(readdirSync(directory)).to.deep.equal(['binnacle'])
  })

  it('keeps objects in the embedded store, deeply nested ones included', () =>
    withServer([], async server => {
      const levels = 9_900
      const deep = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"data":{"a":"b"},"x":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`
      const client = createJsonClient(server.url)
      expect(await client.ask('POST', CONFIG_MAPS, { text: deep })).to.include({ status: 201 })
      await server.kill()
      await server.start()
      expect((await client.must('GET', `${CONFIG_MAPS}/deep`)).data).to.deep.equal({ a: 'b' })
      client.close()
    }))

  it('serves descriptions of fields', () =>
    withServer([], async server => {
      const document = await (await fetch(`${server.url}/openapi/v3/apis/apps/v1`)).text()
      expect(document)
        .to.contain('Deployment')
        .and.to.match(/"description":"[^"]{20}/)
    }))

  const etcd = findEtcd() !== undefined
  ;(etcd ? it : it.skip)(`serves from etcd by several workers${etcd ? '' : ' (skipped: there is no etcd)'}`, async () => {
    const store = await startEtcd()
    try {
      await withServer(['--etcd-servers', store.url, '--workers=2'], async server => {
        const client = createJsonClient(server.url)
        await client.must('POST', CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } })
        expect((await client.ask('GET', `${CONFIG_MAPS}/a`)).status).to.equal(200)
        client.close()
        expect(workerPids(server).size).to.equal(2)
      })
    } finally {
      await store.stop()
    }
  })

  /** Starts it with --ephemeral; what it returns resolves with the status of a GET. */
  async function ephemeral(program: string): Promise<(path: string) => Promise<number | undefined>> {
    const child = spawn(program, ['--ephemeral'], { env: bare(), stdio: ['pipe', 'pipe', 'ignore'] })
    children.push(child)
    const [line] = await once(createInterface({ input: child.stdout }), 'line')
    const { url, certificateAuthority: ca, clientCertificate: cert, clientKey: key } = JSON.parse(String(line)) as Record<string, string>
    return async path => {
      const [response] = await once(get(`${url}${path}`, { ca, cert, key, agent: false }), 'response')
      return response.resume().statusCode
    }
  }

  it('runs as kube-apiserver under that name, without controllers', async () => {
    const named = join(directory, 'kube-apiserver')
    symlinkSync(executable, named)
    const ofController = '/api/v1/namespaces/kube-system/configmaps/kube-root-ca.crt'
    const [apiserver, binnacle] = await Promise.all([ephemeral(named), ephemeral(executable)])
    while ((await binnacle(ofController)) !== 200) await sleep(50)
    expect(await apiserver(ofController)).to.equal(404)
  })

  it('runs commands on manifests', () => {
    const file = join(directory, 'ingress.yaml')
    writeFileSync(
      file,
      'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {maxUnavailable: 1, selector: {matchLabels: {a: b}}}\n',
    )
    expect(run(executable, 'convert', '-f', file, '--to', '1.34')).to.contain('apiVersion: policy/v1\n')
  })

  it('checks manifests without a network or Node', () => {
    const file = join(directory, 'web.yaml')
    writeFileSync(file, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {port: 80}\n')
    const { status, stdout, stderr } = spawnSync(executable, ['check', '-f', file, '--release', '1.36', '--output', 'json'], {
      encoding: 'utf8',
      env: bare(),
    })
    expect({ status, stderr }).to.deep.equal({ status: 1, stderr: '' })
    const [{ rule, position }] = JSON.parse(stdout).findings
    expect({ rule, line: position.line, column: position.column }).to.deep.equal({ rule: 'wrong-type', line: 4, column: 8 })
  })

  it('explores a program with servers of its own', () => {
    const args = ['explore', '--runs', '2', '--', '/bin/sh', '-c', 'test -s "$KUBECONFIG" && test -n "$BINNACLE_EXPLORE"']
    const { status, stdout, stderr } = spawnSync(executable, args, { encoding: 'utf8', env: bare() })
    expect(status, `${stdout}${stderr}`).to.equal(0)
  })

  it('fills a directory for envtest, with programs that call it', () => {
    const assets = join(directory, 'assets')
    expect(run(executable, 'assets', assets)).to.contain('etcd            a stand-in')
    expect(readFileSync(join(assets, 'kube-apiserver'), 'utf8')).to.contain(executable)
    expect(run('/bin/sh', join(assets, 'kube-apiserver'), '--version')).to.match(/^Kubernetes v1\.33\./)
    expect(run('/bin/sh', join(assets, 'etcd'), '--version')).to.match(/^This is not etcd/)
  })

  it('has a bill of materials with licences', () => {
    const { node, v8 } = process.versions
    const subject = { name: 'binnacle', sha256: '00' }
    const options = { root, packages, subject, versions: { node, v8, modules: '115' }, time: new Date(0) }
    const text = sbomOf(options)
    expect(sbomOf(options), 'made again').to.equal(text)
    const { metadata, components, dependencies } = JSON.parse(text)
    expect(metadata.component).to.deep.include({ type: 'application', hashes: [{ alg: 'SHA-256', content: '00' }] })
    const names = components.map((component: { readonly name: string }) => component.name)
    expect(names).to.include.members(['lmdb', `@lmdb/lmdb-${process.platform}-${process.arch}`, 'etcd3', 'koa', 'node'])
    expect(names).not.to.include('typescript')
    expect(components.at(-1)).to.deep.include({
      version: node,
      components: [{ 'bom-ref': `node@${node}/v8@${v8}`, type: 'library', name: 'v8', version: v8 }],
    })
    expect(dependencies[0].dependsOn).to.include.members(['lmdb@3.5.6', `node@${node}`])
    expect(licencesOf(process.execPath, packages)).to.contain('koa ').and.to.contain('MIT')
  })
})
