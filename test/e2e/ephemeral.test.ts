import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { expect } from 'chai'
import { serverCommand } from '../support/server-program.ts'

/** The line on standard output. */
interface Line {
  readonly url: string
  readonly insecureUrl?: string
  readonly version: string
  readonly kubeconfig: string
  readonly kubeconfigFile?: string
  readonly certificateAuthority: string
  readonly clientCertificate: string
  readonly clientKey: string
}

interface Ephemeral {
  readonly line: Line
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  ask(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }>
}

describe('--ephemeral', () => {
  const children: Ephemeral['child'][] = []
  let directory = ''

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
  })
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  })

  /** Started in a directory of its own, which is also that of temporary files, and ready. */
  async function start(...flags: string[]): Promise<Ephemeral> {
    const [command, ...first] = await serverCommand()
    const child = spawn(command, [...first, '--ephemeral', ...flags], {
      cwd: directory,
      env: { ...process.env, TMPDIR: directory },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    children.push(child)
    let log = ''
    child.stderr.on('data', (data: Buffer) => {
      log += data.toString()
    })
    const [text] = await Promise.race([
      once(createInterface({ input: child.stdout }), 'line'),
      once(child, 'exit').then(() => Promise.reject(new Error(`the server ended:\n${log}`))),
    ])
    const line = JSON.parse(String(text)) as Line
    return { line, child, ask: (method, path, body) => ask(line, method, path, body) }
  }

  function ask(line: Line, method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const { certificateAuthority: ca, clientCertificate: cert, clientKey: key } = line
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = text === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }
    return new Promise((resolve, reject) => {
      const sent = request(new URL(path, line.url), { method, ca, cert, key, agent: false, headers }, response => {
        let answer = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          answer += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: answer }))
      })
      sent.on('error', reject).end(text)
    })
  }

  it('is ready when it prints its line, and leaves no file behind, even if it is killed', async () => {
    const { line, child, ask } = await start()
    expect(await ask('GET', '/readyz')).to.deep.equal({ status: 200, text: 'ok' })
    expect(line.kubeconfig).to.contain(`server: ${line.url}`).and.to.contain('client-key-data: ')
    expect(line.version).to.match(/^v1\.33\./)
    expect(line).not.to.have.any.keys('kubeconfigFile', 'insecureUrl')

    const map = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { key: 'value' } }
    expect((await ask('POST', '/api/v1/namespaces/default/configmaps', map)).status).to.equal(201)
    expect(JSON.parse((await ask('GET', '/api/v1/namespaces/default/configmaps/a')).text).data).to.deep.equal({ key: 'value' })
    const token = { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec: { audiences: [] } }
    const asked = await ask('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', token)
    expect(asked.status, asked.text).to.equal(201)
    expect(readdirSync(directory)).to.deep.equal([])

    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    expect(readdirSync(directory)).to.deep.equal([])
  })

  it('exits when its standard input closes', async () => {
    const { child } = await start()
    const ended = once(child, 'exit')
    child.stdin.end()
    expect(await ended).to.deep.equal([0, null])
  })

  it('exits when its parent process is killed', async () => {
    // Its standard input is no pipe: that another process is its parent is all that it can see.
    const [command, ...first] = await serverCommand()
    const starter = spawn(
      process.execPath,
      [
        '-e',
        `const child = require('node:child_process').spawn(${JSON.stringify(command)}, ${JSON.stringify([...first, '--ephemeral'])}, { stdio: ['ignore', 'inherit', 'ignore'] })
         process.stderr.write(String(child.pid) + '\\n')
         setInterval(() => {}, 1000)`,
      ],
      { cwd: directory, stdio: ['pipe', 'pipe', 'pipe'] },
    )
    children.push(starter)
    const [pid] = await once(createInterface({ input: starter.stderr }), 'line')
    const lines = createInterface({ input: starter.stdout })
    await once(lines, 'line')
    // Its standard output is a pipe to this process, which it alone holds by then.
    const ended = once(lines, 'close')
    starter.kill('SIGKILL')
    await ended
    expect(Number(pid)).to.be.greaterThan(0)
  })

  it('writes a kubeconfig to a given file, and serves plain HTTP on request', async () => {
    const file = join(directory, 'kubeconfig')
    const { line } = await start('--kubeconfig-out', file, '--emulated-version=1.34')
    expect(line.kubeconfigFile).to.equal(file)
    expect(readFileSync(file, 'utf8')).to.equal(line.kubeconfig)
    expect(statSync(file).mode & 0o777).to.equal(0o600)
    expect(line.version).to.match(/^v1\.34\./)
  })

  it('is isolated from other instances', async () => {
    const [one, other] = await Promise.all([start(), start()])
    expect(one.line.url).not.to.equal(other.line.url)
    const map = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } }
    expect((await one.ask('POST', '/api/v1/namespaces/default/configmaps', map)).status).to.equal(201)
    expect((await other.ask('GET', '/api/v1/namespaces/default/configmaps/a')).status).to.equal(404)
  })
})
