import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readCommandLine } from '../../src/config/command-line.ts'
import type { Config } from '../../src/config/config.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { serveStandIn, standInOptions } from '../../src/process/assets/etcd-stand-in.ts'
import { withStandIn } from '../../src/process/assets/use-stand-in.ts'
import { serverCommand } from '../support/server-program.ts'

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(listening => server.once('listening', listening))
  const { port } = server.address() as AddressInfo
  await new Promise(closed => server.close(closed))
  return port
}

function configOf(...argv: string[]): Config {
  const command = readCommandLine(argv)
  if (command.action !== 'serve') throw new Error('not a command line that serves')
  return command.config
}

describe('the stand-in for etcd', () => {
  let directory = ''
  let url = ''
  let stop = async (): Promise<void> => {}
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
    url = `http://127.0.0.1:${await freePort()}`
  })
  afterEach(async () => {
    await stop()
    stop = async () => {}
    rmSync(directory, { recursive: true, force: true })
  })
  const start = async (): Promise<void> => {
    stop = await serveStandIn(
      standInOptions([`--listen-client-urls=${url}`, '--data-dir', join(directory, 'data'), '--unsafe-no-fsync=true']),
    )
  }

  it('parses the flags that envtest sets, and rejects URLs that it cannot listen on', () => {
    const argv = [
      '--advertise-client-urls=http://127.0.0.1:1',
      '--data-dir=/d',
      '--listen-client-urls=http://127.0.0.1:1,http://[::1]:2',
      '--listen-peer-urls=http://localhost:0',
    ]
    expect(standInOptions(argv)).to.deep.equal({
      listen: [
        { host: '127.0.0.1', port: 1 },
        { host: '::1', port: 2 },
      ],
      dataDir: '/d',
    })
    expect(() => standInOptions(['--listen-client-urls=https://127.0.0.1:1'])).to.throw('a stand-in for etcd supports plain HTTP only')
    expect(() => standInOptions(['--listen-client-urls', 'x'])).to.throw('a stand-in for etcd supports plain HTTP only')
  })

  it('serves /health like etcd, and rejects all other requests', async () => {
    await start()
    expect(await (await fetch(`${url}/health`)).json()).to.deep.equal({ health: 'true', reason: '' })
    for (const [path, method] of [
      ['/version', 'GET'],
      ['/v3/kv/range', 'POST'],
      ['/health', 'POST'],
    ] as const) {
      const answer = await fetch(url + path, { method })
      expect([answer.status, await answer.text()]).to.deep.equal([
        501,
        'This is not etcd: it is a stand-in by binnacle, which stores nothing. The kube-apiserver beside it keeps its objects in its embedded store.\n',
      ])
    }
  })

  it('makes the server use the embedded store in the data directory of etcd', async () => {
    await start()
    const config = await withStandIn(configOf('--etcd-stand-in', `--etcd-servers=${url}`, '--cert-dir=/c'), silentLogger)
    expect(config.storage.etcd).to.equal(undefined)
    expect(config.files).to.include({ dataDir: join(directory, 'data'), certDir: '/c' })
    const several = withStandIn(configOf('--etcd-stand-in', `--etcd-servers=${url}`, '--workers=2'), silentLogger)
    expect(await several.catch((error: Error) => error.message)).to.contain('--workers=2 needs etcd')
  })

  it('is not detected if another program listens, or no program does', async () => {
    const given = configOf('--etcd-stand-in', `--etcd-servers=${url}`)
    expect(await withStandIn(given, silentLogger)).to.equal(given)
    for (const body of ['', '{}', 'null', '{"dataDir":1}', '{"dataDir":"relative"}', `{"dataDir":"/${'x'.repeat(20_000)}"}`]) {
      const server = createServer((_, response) => response.end(body)).listen(Number(new URL(url).port), '127.0.0.1')
      await new Promise(listening => server.once('listening', listening))
      try {
        expect(await withStandIn(given, silentLogger), body.slice(0, 20)).to.equal(given)
      } finally {
        server.closeAllConnections()
        await new Promise(closed => server.close(closed))
      }
    }
    for (const other of [
      configOf(),
      configOf('--etcd-servers=http://10.0.0.1:2379'),
      configOf('--etcd-servers=http://127.0.0.1:1,http://127.0.0.1:2'),
    ])
      expect(await withStandIn(other, silentLogger)).to.equal(other)
  })
})

describe('the etcd-stand-in command', () => {
  for (const flag of ['--help', '-h', '--version'])
    it(`prints ${flag}, which envtest runs first, and exits`, async () => {
      const [program, ...args] = await serverCommand()
      const { status, stdout } = spawnSync(program, [...args, 'etcd-stand-in', flag], {
        encoding: 'utf8',
        timeout: 50_000,
      })
      expect([status, stdout]).to.satisfy(
        ([code, text]: [number, string]) => code === 0 && text.includes('This is not etcd') && /^ +--data-dir/m.test(text),
      )
    })
})
