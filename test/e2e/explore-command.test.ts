import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { main } from '../../src/explore/bundle.ts'
import { runExplore } from '../../src/explore/command/command.ts'
import { partsOf } from '../../src/testing/running.ts'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import { exploreSeeds } from '../support/explore-seeds.ts'

/**
 * A test with a controller that labels config maps, in one program. The argument makes it ignore errors of its writes.
 */
const PROGRAM = `
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
const config = readFileSync(process.env.KUBECONFIG, 'utf8')
const data = name => Buffer.from(new RegExp(name + '-data: *"?([^"\\\\s]+)').exec(config)[1], 'base64')
const tls = { ca: data('certificate-authority'), cert: data('client-certificate'), key: data('client-key') }
const server = /server: *"?([^"\\s]+)/.exec(config)[1]
const call = (agent, method, path, body) => new Promise((resolve, reject) => {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  request(server + path, { ...tls, method, headers: { 'user-agent': agent, 'content-type': type } }, async response => {
    let text = ''
    for await (const chunk of response) text += chunk
    resolve({ status: response.statusCode, body: response.headers['content-type'].includes('json') ? JSON.parse(text) : text })
  }).on('error', reject).end(body && JSON.stringify(body))
})
const MAPS = '/api/v1/namespaces/default/configmaps'
if (process.argv[2] === 'controller') {
  // Creates a secret for each config map, and then labels the map. If it is careless, it labels first.
  for (;;) {
    const { status, body } = await call('labeller/1', 'GET', MAPS + '/a').catch(() => ({}))
    if (status === 200 && body.metadata.labels?.seen !== 'yes') {
      const create = () => call('labeller/1', 'POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 'a' } })
      const label = () => call('labeller/1', 'PATCH', MAPS + '/a', { metadata: { labels: { seen: 'yes' } } })
      const steps = process.argv[3] === 'careless' ? [label, create] : [create, label]
      try {
        for (const step of steps) {
          const answer = await step()
          if (answer.status >= 300 && answer.status !== 409) break
        }
      } catch {}
    }
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}
if (process.argv[2] === 'test') {
  await call('test/1', 'POST', MAPS, { metadata: { name: 'a' } })
  for (let map; map?.body.metadata.labels?.seen !== 'yes'; ) map = await call('test/1', 'GET', MAPS + '/a')
  process.exit()
}
if (process.argv[2] === 'fails') throw new Error('it always fails')
const reconcile = async () => {
  for (;;) {
    try {
      const { status } = await call('labeller/1', 'PATCH', MAPS + '/a', { metadata: { labels: { seen: 'yes' } } })
      if (status === 200) return
    } catch {}
    if (process.argv[2] === 'careless') return
  }
}
await call('test/1', 'POST', MAPS, { metadata: { name: 'a' } })
await reconcile()
await call('test/1', 'GET', '/binnacle/v1/explore/settled')
`

const GO = join(import.meta.dirname, '../examples/races/go')
const offline = { ...process.env, GOPROXY: 'off', GOFLAGS: '-mod=readonly' }
const hasGo = (process.env.PATH ?? '').split(':').some(folder => existsSync(join(folder, 'go')))
const hasModules = hasGo && spawnSync('go', ['list', '-deps', '-test', './...'], { cwd: GO, env: offline, stdio: 'ignore' }).status === 0
const whyNoGo = hasGo ? 'the modules are not downloaded: run "go mod download" in test/examples/races/go' : 'Go is not installed'

describe('binnacle explore', function () {
  this.timeout(600_000)
  let directory: string
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'explore-test-'))
    writeFileSync(join(directory, 'program.mjs'), PROGRAM)
  })
  after(() => rmSync(directory, { recursive: true, force: true }))

  const run = async (...argv: string[]): Promise<{ readonly status: number; readonly out: string; readonly err: string }> => {
    const out: string[] = []
    const err: string[] = []
    const streams = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) }
    const status = await runExplore(argv, streams, { startControlPlane, partsOf })
    return { status, out: out.join(''), err: err.join('') }
  }
  const program = (...args: string[]): string[] => ['--', process.execPath, join(directory, 'program.mjs'), ...args]

  it('finds nothing in a sound program', async () => {
    const { status, out, err } = await run('--agent', 'labeller/*', '--runs', '4', ...program())
    expect(out).to.match(/: nothing found in 4 runs with seed 1 \(\d+ perturbations\)\n/)
    expect(err).to.include(': the controller was not restarted, and read no stale list: use --restart-signal or --controller\n')
    expect(status).to.equal(0)
  })

  it('reports a failure with its story and a fault file, which it replays', async () => {
    const file = join(directory, 'faults.yaml')
    const { status, out } = await run('--agent', 'labeller/*', '--fault-file', file, ...program('careless'))
    expect(out).to.include('configmaps default/a: metadata.labels should be {"seen":"yes"}, but is unset')
    expect(out).to.match(/the controller patches configmaps default\/a at \d+: /)
    expect(status).to.equal(1)
    expect(readFileSync(file, 'utf8')).to.include('kind: Fault').and.include('labeller/*')
    expect((await run('--replay', file, ...program('careless'))).status).to.equal(1)
    expect((await run('--replay', file, ...program())).status).to.equal(0)
  })

  it('reports a program that fails undisturbed', async () => {
    const { status, err } = await run(...program('fails'))
    expect(err).to.include('the undisturbed run fails (the test)').and.include('it always fails')
    expect(status).to.equal(2)
  })

  it('says that nothing was perturbed if it sees no controller', async () => {
    const { status, err } = await run('--runs', '1', '--', 'true')
    expect([status, err]).to.deep.equal([
      0,
      'true: nothing was perturbed: no requests of a controller were seen; name its user agent by --agent, or its command by --controller\n',
    ])
    expect((await run('--runs', '1', '--agent', 'other/*', '--', 'true')).err).to.include('no request has the user agent other/* (--agent)')
  })

  it('kills and starts a controller that is a program of its own', async () => {
    const controller = (how: string): string[] => [
      '--controller',
      `exec '${process.execPath}' '${join(directory, 'program.mjs')}' controller ${how}`,
    ]
    const broken = await run(...controller('careless'), '--runs', '20', ...program('test'))
    expect(broken.out).to.include('secrets default/a: an object was expected, there is no object')
    expect(broken.status).to.equal(1)
    const sound = await run(...controller('careful'), '--runs', '4', ...program('test'))
    expect(sound.err).not.to.include('not restarted')
    expect([sound.status, sound.err]).to.deep.equal([0, ''])
  })

  it('ends its programs and removes its files at a signal', async () => {
    const own = mkdtempSync(join(tmpdir(), 'explore-signal-'))
    const src = join(import.meta.dirname, '../../src')
    const script = join(own, 'main.mts')
    const imports = [
      `import { main } from '${src}/explore/bundle.ts'`,
      `import { partsOf } from '${src}/testing/running.ts'`,
      `import { startControlPlane } from '${src}/testing/start-control-plane.ts'`,
    ]
    writeFileSync(script, `${imports.join('\n')}\nmain(() => ({ startControlPlane, partsOf }))\n`)
    const temporary = join(own, 'temporary')
    mkdirSync(temporary)
    const waits = (name: string): string => `echo $$ > '${own}/new-${name}'; mv '${own}/new-${name}' '${own}/${name}'; exec sleep 1000`
    const args = ['explore', '--controller', waits('controller'), '--', 'sh', '-c', waits('test')]
    const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: 'ignore',
    })
    try {
      while (!existsSync(join(own, 'test')) || !existsSync(join(own, 'controller'))) await sleep(50)
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      expect(await exited).to.deep.equal([null, 'SIGTERM'])
      for (const name of ['test', 'controller']) {
        const pid = readFileSync(join(own, name), 'utf8').trim()
        const state = (): string => spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' }).stdout.trim()
        // A process that has ended may remain as a zombie.
        while (!/^(?:Z.*)?$/.test(state())) await sleep(50)
      }
      expect(readdirSync(temporary).filter(name => name.startsWith('binnacle-explore-'))).to.deep.equal([])
    } finally {
      child.kill('SIGKILL')
      rmSync(own, { recursive: true, force: true })
    }
  })

  it('rejects misuse, and prints its usage', async () => {
    const rejected = (...argv: string[]): Promise<unknown> => run(...argv).catch((error: Error) => `${error.name}: ${error.message}`)
    expect(await rejected()).to.equal('ArgumentError: a command is required: binnacle explore -- go test ./...')
    expect(await rejected('--runs', '0', '--', 'true')).to.equal('ArgumentError: --runs=0: must be an integer of at least 1')
    expect(await rejected('--restart-signal', 'SIGNO', '--', 'true')).to.equal(
      'ArgumentError: --restart-signal=SIGNO: must be the name of a signal, such as SIGUSR1',
    )
    expect(await rejected('--apply', join(directory, 'none.yaml'), '--', 'true')).to.include('none.yaml')
    expect(await rejected('--replay', join(directory, 'none.yaml'), '--', 'true')).to.match(/^ArgumentError: --replay=.*none\.yaml: /)
    expect(await rejected('--release', '1.2', '--', 'true')).to.match(/^ArgumentError: .*1\.2/)
    expect((await run('--help')).out).to.match(/^Usage: binnacle explore/)
    expect(main).to.be.a('function')
  })

  const itWithGo = hasModules ? it : it.skip
  for (const [folder, lost] of [
    ['halfdonerestart', 'should be "15Gi", but is "10Gi"'],
    ['misseddeletion', 'data-dc-1: no object was expected'],
    ['staleread', 'data-zk-0: an object was expected'],
  ] as const)
    itWithGo(`finds the race of ${folder}, in Go${hasModules ? '' : ` (skipped: ${whyNoGo})`}`, async () => {
      const flags = ['--agent', 'races-controller*', '--restart-signal', 'SIGUSR1', '--apply', join(GO, 'definitions.yaml')]
      const go = (name: string): string[] => ['--', 'go', '-C', GO, 'test', `./${folder}`, '-run', name]
      const file = join(directory, `${folder}.yaml`)
      for (const seed of exploreSeeds(2)) {
        const broken = await run(...flags, '--seed', `${seed}`, '--fault-file', file, ...go('TestBroken'))
        expect(broken.out, `seed ${seed}`).to.include(lost)
        expect(broken.status).to.equal(1)
      }
      expect((await run(...flags, '--replay', file, ...go('TestMended'))).status).to.equal(0)
    })
})
