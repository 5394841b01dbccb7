import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { freePorts } from '../support/free-ports.ts'
import { commandsCommand, serverCommand } from '../support/server-program.ts'

interface Ended {
  readonly status: number | null
  readonly out: string
  readonly err: string
}

async function run(command: readonly string[]): Promise<Ended> {
  const [program = '', ...argv] = command
  return new Promise((resolve, reject) => {
    const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'pipe'] })
    const [out, err]: [string[], string[]] = [[], []]
    child.stdout.on('data', (chunk: Buffer) => void out.push(chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => void err.push(chunk.toString()))
    child.on('error', reject).on('close', status => resolve({ status, out: out.join(''), err: err.join('') }))
  })
}

describe('exit status', () => {
  let server: readonly string[] = []
  let directory = ''
  let file = ''
  before(async () => {
    server = await serverCommand()
    directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
    file = join(directory, 'file')
    writeFileSync(file, 'hi\n')
    writeFileSync(`${file}.long`, '')
    truncateSync(`${file}.long`, 16 * 1024 * 1024 + 1)
  })
  after(() => rmSync(directory, { recursive: true, force: true }))

  /** `FILE`, `LONG` and `NEW` stand for a file without sense, one that is too long, and a new directory. */
  const misuses: readonly (readonly [line: string, message: string])[] = [
    ['--bogus', 'unknown flag: --bogus'],
    ['--data-dri NEW', 'unknown flag: --data-dri; did you mean --data-dir?'],
    ['exprot', 'unknown command "exprot"; did you mean export? binnacle --help lists commands and flags'],
    ['--secure-port=x', 'invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x": invalid syntax'],
    ['--workers=2', '--workers=2 requires --etcd-servers: the embedded store supports one process'],
    ['--data-dir FILE', '--data-dir: FILE is a file, not a directory'],
    ['--data-dir NEW --client-ca-file=/nowhere', "--client-ca-file: ENOENT: no such file or directory, stat '/nowhere'"],
    [
      '--data-dir NEW --token-auth-file=FILE',
      "--token-auth-file: token file 'FILE' must have at least 3 columns (token, user name, user uid), found 1 in line 1",
    ],
    ['--data-dir NEW --authorization-rules-file=FILE', '--authorization-rules-file: rules: must be a list'],
    ['--data-dir NEW --audit-policy-file=FILE', 'loading audit policy file: '],
    [
      '--data-dir NEW --tracing-config-file=LONG',
      '--tracing-config-file: LONG has more than 16777216 bytes, the most that are read of such a file',
    ],
    [
      '--data-dir NEW --proxy-client-cert-file=FILE --proxy-client-key-file=LONG',
      '--proxy-client-cert-file, --proxy-client-key-file: LONG has more than 16777216 bytes',
    ],
    ['--data-dir NEW --encryption-provider-config=FILE', 'error while parsing file: '],
    ['kubeconfig --bogus', 'unknown flag: --bogus'],
    [
      'kubeconfig --data-dir NEW',
      'there is no NEW/admin.kubeconfig: a server writes it when it first starts; --data-dir names its directory',
    ],
    ['assets', 'one folder is needed: binnacle assets DIR'],
    ['etcd-stand-in --listen-client-urls=x', '--listen-client-urls: "x": a stand-in for etcd supports plain HTTP only'],
  ]
  for (const [line, message] of misuses)
    it(`is 2 for a usage error, with one line that names it: ${line}`, async () => {
      const named = (text: string): string =>
        text.replaceAll('FILE', file).replaceAll('LONG', `${file}.long`).replaceAll('NEW', join(directory, 'new'))
      const { status, out, err } = await run([...server, ...line.split(' ').map(named)])
      const errors = err.split('\n').filter(text => text.startsWith('Error: '))
      expect(errors.map(text => text.slice(0, `Error: ${named(message)}`.length))).to.deep.equal([`Error: ${named(message)}`])
      expect(err).not.to.match(/^ +at /m)
      expect({ status, out }).to.deep.equal({ status: 2, out: '' })
    })

  it('is 2 for usage errors of commands on stores and servers', async () => {
    const commands = await commandsCommand()
    expect(await run([...commands, 'verify', '--bogus'])).to.deep.equal({ status: 2, out: '', err: 'Error: unknown flag: --bogus\n' })
    expect(await run([...commands, 'verify', file])).to.deep.equal({
      status: 2,
      out: '',
      err: `Error: ${file} is a file, not a directory\n`,
    })
  })

  it('is 1 for a port in use, with the flags that choose another', async () => {
    const port = await freePorts.take()
    const other = createServer().listen(port, '127.0.0.1')
    try {
      const { status, err } = await run([...server, '--data-dir', join(directory, 'taken'), `--secure-port=${port}`])
      expect(err).to.match(
        /^Error: 127\.0\.0\.1:\d+ is in use by another server: stop it, or choose another port \(--secure-port, --console-port, --insecure-port\)$/m,
      )
      expect(status).to.equal(1)
    } finally {
      other.close()
    }
  })
})

describe('etcd that does not respond', () => {
  it('is reported in one line of the log', async () => {
    const [program, ...first] = await serverCommand()
    const directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
    const [etcd, port] = [await freePorts.take(), await freePorts.take()]
    const url = `http://127.0.0.1:${etcd}`
    const child = spawn(program, [...first, '--data-dir', directory, `--etcd-servers=${url}`, `--secure-port=${port}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    try {
      let log = ''
      await new Promise<void>(resolve => {
        child.stderr.on('data', (chunk: Buffer) => {
          log += chunk.toString()
          if (log.includes('\n')) resolve()
        })
      })
      expect(log.trimEnd().split('\n')).to.have.length(1)
      expect(log).to.contain('warn  waiting for etcd, which does not respond (--etcd-servers)').and.contain(`servers=${url}`)
      expect(log).to.contain(`connect ECONNREFUSED 127.0.0.1:${etcd}`)
    } finally {
      child.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
