import { createServer, type RequestListener, type Server } from 'node:http'
import { resolve } from 'node:path'
import { FlagError } from '../../config/parse-flags.ts'
import { makePrivateDirectory } from '../../lib/private-file.ts'

/** Where the stand-in says what it is. etcd has nothing there. */
export const STAND_IN_PATH = '/binnacle-stand-in'

/** What is there. */
export interface StandInAnswer {
  /** For the store of the server that was started with it. An absolute path. */
  readonly dataDir: string
}

const NOTICE = 'This is not etcd: it is a stand-in by binnacle, which stores nothing. The kube-apiserver beside it keeps its objects in its embedded store.'

/** envtest looks in it for flags that it would give. */
const HELP = `${NOTICE}

Flags that it has a use for:
  --listen-client-urls 'http://localhost:2379'
    Where it says that it is well.
  --data-dir 'default.etcd'
    Where the kube-apiserver beside it has its embedded store.

All others are for what it does not do.
`

/** What a command line of etcd asks of a stand-in. */
export interface StandInOptions {
  readonly listen: readonly { readonly host: string; readonly port: number }[]
  readonly dataDir: string
}

/** Reads the flags of etcd that a stand-in has a use for; all others are for storing. Throws FlagError. */
export function standInOptions(argv: readonly string[]): StandInOptions {
  const given = new Map<string, string>()
  for (const [i, argument] of argv.entries()) {
    const [, name = '', value] = /^--?([^=]+)(?:=(.*))?$/s.exec(argument) ?? []
    if (name !== '') given.set(name, value ?? argv[i + 1] ?? '')
  }
  const urls = (given.get('listen-client-urls') ?? 'http://localhost:2379').split(',')
  return { listen: urls.map(addressOf), dataDir: resolve(given.get('data-dir') ?? 'default.etcd') }
}

function addressOf(text: string): { host: string; port: number } {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:') throw new FlagError(`--listen-client-urls: ${JSON.stringify(text)}: a stand-in for etcd listens by plain HTTP alone`)
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 80) }
}

/** Answers `/health` as etcd does, and STAND_IN_PATH; refuses everything else with a notice. Resolves when it listens, with a function that closes it. */
export async function serveStandIn({ listen, dataDir }: StandInOptions): Promise<() => Promise<void>> {
  makePrivateDirectory(dataDir)
  const answer: StandInAnswer = { dataDir }
  const handle: RequestListener = ({ method, url }, response) => {
    const known = method === 'GET' && (url === '/health' ? { health: 'true', reason: '' } : url === STAND_IN_PATH ? answer : undefined)
    response.writeHead(known ? 200 : 501, { 'content-type': known ? 'application/json' : 'text/plain' }).end(known ? JSON.stringify(known) : `${NOTICE}\n`)
  }
  const servers = listen.map(() => createServer(handle))
  await Promise.all(servers.map((server, i) => listening(server, listen[i]?.host ?? '', listen[i]?.port ?? 0)))
  return async () => {
    await Promise.all(
      servers.map(server => {
        server.closeAllConnections()
        return new Promise(closed => server.close(closed))
      }),
    )
  }
}

const listening = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((done, reject) => {
    server.once('error', reject).listen(port, host, done)
  })

/** The program in the place of etcd, until a signal ends it. Resolves with the exit code. */
export async function runStandIn(argv: readonly string[]): Promise<number> {
  if (argv.some(argument => /^(?:--?help|-h|--?version)$/.test(argument))) {
    process.stdout.write(HELP)
    return 0
  }
  process.stderr.write(`${NOTICE}\n`)
  const stop = await serveStandIn(standInOptions(argv))
  await new Promise<void>(ended => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ended())
  })
  await stop()
  return 0
}
