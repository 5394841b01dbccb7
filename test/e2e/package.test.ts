import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { codeBlocks } from '../../hack/docs/code-blocks.ts'
import { stagePackage } from '../../hack/support/stage-package.ts'

const root = join(import.meta.dirname, '..', '..')
const isBuilt = existsSync(join(root, 'dist/cel.mjs'))
const run = promisify(execFile)

/** Starts a server, asks it by fetch on its insecure port, and stops it. */
const SERVE = `
  const server = await startServer({ flags: { 'emulated-version': '1.34' } })
  const [first] = await Promise.all([startServer({ flags: { ephemeral: true } }), startServer()]).then(others => Promise.all(others.map(one => one.stop().then(() => one))))
  const { status } = await new Promise((resolve, reject) => {
    const { certificateAuthority: ca, clientCertificate: cert, clientKey: key } = server
    https.get(server.url + '/api/v1/namespaces/default', { ca, cert, key, agent: false }, answer => resolve({ status: answer.resume().statusCode })).on('error', reject)
  })
  await server.stop()
  await server.stop()
  const refused = await startServer({ flags: { 'no-such-flag': 1 } }).catch(error => error.message)
  console.log(JSON.stringify({ status, version: server.version, url: first.url === server.url, refused }))
`
const SERVED = { status: 200, version: 'v1.34.0+binnacle', url: false, refused: 'unknown flag: --no-such-flag' }

;(isBuilt ? describe : describe.skip)(`the npm package${isBuilt ? '' : ' (skipped: dist is not built)'}`, () => {
  let directory = ''
  let installed = ''

  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
    installed = join(directory, 'node_modules/binnacle')
    stagePackage(root, installed)
    // As npm would install them, without a network.
    for (const name of [...Object.keys(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).dependencies), '@types/node']) {
      mkdirSync(dirname(join(directory, 'node_modules', name)), { recursive: true })
      symlinkSync(join(root, 'node_modules', name), join(directory, 'node_modules', name))
    }
    writeFileSync(join(directory, 'package.json'), '{}')
  })
  after(() => rmSync(directory, { recursive: true, force: true }))

  const written = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text)
    return join(directory, name)
  }
  /** Those in JavaScript of a page that the package has. */
  const examples = (page: string): string[] =>
    codeBlocks(readFileSync(join(installed, page), 'utf8')).flatMap(({ language, text }) => (language === 'js' ? [text] : []))
  const node = async (name: string, text: string): Promise<string> =>
    (await run(process.execPath, [written(name, text)], { cwd: directory })).stdout

  it('depends on the packages that its bundles lack', () => {
    const { dependencies, devDependencies, bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    expect(dependencies).to.include.keys('lmdb', 'etcd3', '@grpc/grpc-js').and.not.have.any.keys('koa', 'jose')
    expect(devDependencies).to.equal(undefined)
    for (const file of Object.values<string>(bin)) expect(existsSync(join(installed, file)), file).to.equal(true)
    expect(readdirSync(join(installed, 'dist')).filter(file => file.endsWith('.map'))).to.deep.equal([])
  })

  it('starts and stops servers from modules', async () =>
    expect(
      JSON.parse(await node('serve.mjs', `import https from 'node:https'\nimport { startServer } from 'binnacle'\n${SERVE}`)),
    ).to.deep.equal(SERVED))

  it('starts and stops servers from CommonJS', async () =>
    expect(
      JSON.parse(
        await node(
          'serve.cjs',
          `const https = require('node:https')\nconst { startServer } = require('binnacle')\n;(async () => {${SERVE}})()`,
        ),
      ),
    ).to.deep.equal(SERVED))

  it('exports the CEL engine, as its page shows it', async () => {
    const all = examples('docs/cel.md')
    expect(all).to.have.length(4)
    for (const [i, example] of all.entries()) {
      const said = [...example.matchAll(/\/\/ (.*)$/gm)].map(([, text]) => text)
      expect((await node(`cel-${i}.mjs`, example)).trim().replaceAll(/\s+/g, ' ')).to.equal(said.join(' '))
    }
    expect(await node('cel.cjs', `console.log(require('binnacle/cel').compile('1 + 1').evaluate().value)`)).to.equal('2\n')
  })

  it('exports a client with watches and informers, as its page shows it', async () => {
    const [example = ''] = examples('docs/client.md')
    const said = [...example.matchAll(/\/\/ (.*)$/gm)].map(([, text]) => `${text}\n`)
    expect(await node('client.mjs', example)).to.equal(said.join(''))
    const use = `new Informer(openClient({ url: 'http://127.0.0.1:1' }), {}).hasSynced`
    expect(await node('client.cjs', `const { Informer, openClient } = require('binnacle/client')\nconsole.log(${use})`)).to.equal('false\n')
  })

  it('exports control planes for tests, as their page shows them', async () => {
    const [example = '', mocha = ''] = examples('docs/testing.md')
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', written('shop.test.mjs', example)], {
      cwd: directory,
    }).catch(error => error)
    expect(stdout).to.include('# pass 2').and.include('# fail 0')
    const args = [join(root, 'node_modules/mocha/bin/mocha.js'), '--no-config', '--timeout', '60000', written('coupons.mocha.mjs', mocha)]
    expect((await run(process.execPath, args, { cwd: directory }).catch(error => error)).stdout).to.include('1 passing')
    const common = `const { startControlPlane } = require('binnacle/testing')\nstartControlPlane().then(async plane => { console.log(plane.version); await plane.stop() })`
    expect(await node('testing.cjs', common)).to.match(/^v1\.33\./)
  })

  it('exports the check of manifests', async () => {
    const use = `check({ texts: { 'a.yaml': 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: a}\\ndatta: {}\\n' } }).then(({ findings }) => console.log(findings[0].rule, findings[0].position.line))`
    expect(await node('check.mjs', `import { check } from 'binnacle/check'\n${use}`)).to.equal('unknown-field 4\n')
    expect(await node('check.cjs', `const { check } = require('binnacle/check')\n${use}`)).to.equal('unknown-field 4\n')
  })

  it('has a README of its own, and pages whose links lead to files of the package', () => {
    const pages = ['README.md', ...readdirSync(join(installed, 'docs')).map(name => `docs/${name}`)]
    const broken: string[] = []
    for (const page of pages)
      for (const [, to = ''] of readFileSync(join(installed, page), 'utf8').matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g))
        if (!to.startsWith('https://') && !existsSync(join(installed, dirname(page), to))) broken.push(`${page}: ${to}`)
    expect(broken).to.deep.equal([])
    const readme = readFileSync(join(installed, 'README.md'), 'utf8')
    for (const word of ['npx binnacle', 'binnacle/testing', 'binnacle/client', 'binnacle/cel', 'Bun']) expect(readme).to.include(word)
    // They are run below.
    const js = (file: string): string[] =>
      codeBlocks(readFileSync(file, 'utf8')).flatMap(({ language, text }) => (language === 'js' ? [text] : []))
    expect(js(join(installed, 'README.md')).slice(0, 2)).to.deep.equal(js(join(root, 'README.md')).slice(0, 2))
  })

  it('reports in one line that it needs Node', async () => {
    for (const [member, name] of [
      ['bun', 'Bun'],
      ['deno', 'Deno'],
    ] as const) {
      const other = written(
        `${member}.cjs`,
        `Object.defineProperty(process, 'versions', { value: { ...process.versions, ${member}: '1.0.0' } })`,
      )
      const line = `binnacle needs Node 20.18 or later: ${name} runs binnacle/cel alone`
      const { code, stderr } = await run(process.execPath, ['-r', other, join(installed, 'bin/binnacle'), '--version']).catch(
        error => error,
      )
      expect({ code, stderr }).to.deep.equal({ code: 1, stderr: `Error: ${line}\n` })
      for (const load of [
        `import('binnacle')`,
        `import('binnacle/testing')`,
        `Promise.resolve().then(() => require('binnacle/testing'))`,
      ]) {
        const text = `${load}.catch(error => console.log(error.message))`
        expect((await run(process.execPath, ['-r', other, written('load.cjs', text)], { cwd: directory })).stdout).to.equal(`${line}\n`)
      }
      expect(
        (
          await run(
            process.execPath,
            ['-r', other, written('cel.cjs', `console.log(require('binnacle/cel').compile('1 + 1').evaluate().value)`)],
            {
              cwd: directory,
            },
          )
        ).stdout,
      ).to.equal('2\n')
    }
  })

  it('runs the examples of the README', async () => {
    const [start = '', control = '', expression = ''] = examples('README.md')
    expect(await node('expression.mjs', expression)).to.equal('true\n')
    expect(await node('start.mjs', start)).to.match(/^https:\/\/127\.0\.0\.1:\d+ apiVersion: v1\n/)
    mkdirSync(join(directory, 'crds'))
    writeFileSync(join(directory, 'crds/namespace.yaml'), 'apiVersion: v1\nkind: Namespace\nmetadata: {name: of-the-folder}\n')
    const last =
      "console.log((await copy.request('GET', '/api/v1/namespaces/of-the-folder')).status)\nfor (const one of [plane, copy]) await one.stop()"
    expect(await node('control.mjs', `${control}\n${last}`)).to.equal('200\n')
  })

  it('has types for modules and for CommonJS', async () => {
    const use = (end: string): string => `
      const PODS: ResourceKind<TypedObject & { spec: { nodeName?: string } }> = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true }
      const server: Server = await startServer({ flags: { 'feature-gates': ['A=true'] }, log: line => line.trim() })
      const url: string = server.url
      const value: unknown = compile('1', { variables: { x: 'int', y: { type: 'object' } } }).evaluate({ x: 1 }).value
      const plane: ControlPlane = await startControlPlane({ gates: { A: true }, manifests: ['', { kind: 'A' }, new URL('file:///x')] })
      const hits: number = plane.faults.add({ match: { verbs: ['get'] }, delay: '1s' }).hits
      const users: readonly string[] = plane.requests.map(({ user }) => user)
      const percent: number = (await plane.apply({ kind: 'A', spec: { percent: 1 } }))[0].spec.percent
      const uids: readonly string[] = (await plane.apply('a: b')).map(({ metadata }) => metadata.uid)
      const names: readonly string[] = (await plane.request<{ items: { name: string }[] }>('GET', '/')).body.items.map(({ name }) => name)
      // @ts-expect-error: a body has no type unless one is given
      const untyped: string = (await plane.request('GET', '/')).body
      // @ts-expect-error: there is no such option
      await startServer({ flag: {} })
      // @ts-expect-error: a snapshot is none that another made
      await plane.restore({ revisions: users.length })
      const client: ApiClient = openClient(plane)
      const { resourceVersion }: { resourceVersion: string } = await plane.client({ name: 'a' }).list(PODS)
      const informer = new Informer(server.client(), PODS, { namespace: resourceVersion })
      const node: string | undefined = informer.store.get('a/b')?.spec.nodeName
      // @ts-expect-error: pods have no such field
      informer.on({ added: ({ spec }) => spec.node })
      // @ts-expect-error: values of other modules are not exported
      await import('binnacle/client').then(({ objectKey }) => objectKey)
      const rules: readonly string[] = (await check({ paths: ['a'], release: '1.36', webhooks: { a: 'b' } })).findings.map(({ rule }) => rule)
      ${end}`
    const module = written(
      'types.mts',
      `import { type Server, startServer } from 'binnacle'\nimport { check } from 'binnacle/check'\nimport { compile } from 'binnacle/cel'\nimport { type ApiClient, Informer, openClient, type ResourceKind, type TypedObject } from 'binnacle/client'\nimport { type ControlPlane, startControlPlane } from 'binnacle/testing'\n${use('export { url, value }')}`,
    )
    const common = written(
      'types.cts',
      `import binnacle = require('binnacle')\nimport cel = require('binnacle/cel')\nimport { check } from 'binnacle/check'\nimport { type ApiClient, Informer, openClient, type ResourceKind, type TypedObject } from 'binnacle/client'\nimport testing = require('binnacle/testing')\ntype Server = binnacle.Server\ntype ControlPlane = testing.ControlPlane\nconst { startControlPlane } = testing\nconst { startServer } = binnacle\nconst { compile } = cel\nexport async function f() {${use('return { url, value }')}}`,
    )
    // Bundlers get ES modules only, as they do not support `import … = require(…)`.
    const settings = [
      ['--module', 'nodenext', module, common],
      ['--module', 'node16', module, common],
      ['--module', 'preserve', '--moduleResolution', 'bundler', module],
    ]
    for (const setting of settings) {
      const flags = ['--noEmit', '--strict', '--target', 'es2023', '--types', 'node', '--ignoreConfig', ...setting]
      const { stdout } = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...flags], { cwd: directory }).catch(
        error => error,
      )
      expect(stdout, setting.join(' ')).to.equal('')
    }
  })

  it('has types with which the TypeScript of the documentation compiles in strict mode', async () => {
    // Declarations of the runner that the pages use, which is not installed here.
    const vitest = `declare module 'vitest' {
      type Hook = (work: () => unknown) => void
      export const beforeAll: Hook
      export const afterAll: Hook
      export const beforeEach: Hook
      export function test(name: string, work: () => unknown): void
      export function expect(value: unknown): { toEqual(value: unknown): void; toBe(value: unknown): void }
    }`
    const pages = ['docs/how-to/operator-tests.md', 'docs/testing.md', 'docs/client.md']
    const blocks = pages.flatMap(page =>
      codeBlocks(readFileSync(join(root, page), 'utf8')).flatMap(({ language, text }) => (language === 'ts' ? [text] : [])),
    )
    expect(blocks).to.have.length.greaterThan(0)
    const files = [written('vitest.d.ts', vitest)]
    for (const [i, block] of blocks.entries()) files.push(written(`page-${i}.mts`, block))
    for (const strict of [[], ['--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes']]) {
      const flags = [
        '--noEmit',
        '--strict',
        ...strict,
        '--target',
        'es2023',
        '--types',
        'node',
        '--ignoreConfig',
        '--module',
        'nodenext',
        ...files,
      ]
      const { stdout } = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...flags], { cwd: directory }).catch(
        error => error,
      )
      expect(stdout, strict.join(' ')).to.equal('')
    }
  })

  it('runs the command by its name', async () => {
    const { stdout } = await run(join(installed, 'bin/binnacle'), ['--version'], { cwd: directory })
    expect(stdout).to.match(/^Kubernetes v1\.33\./)
  })
})
