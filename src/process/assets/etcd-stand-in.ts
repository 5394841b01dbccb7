import { createServer, type RequestListener, type Server } from 'node:http'
import { resolve } from 'node:path'
import { FlagError } from '../../config/parse-flags.ts'
import { makePrivateDirectory } from '../../lib/private-file.ts'

/** Path by which a server recognizes the stand-in. etcd does not serve it. */
export const STAND_IN_PATH = '/binnacle-stand-in'

/** Body of the response at STAND_IN_PATH. */
export interface StandInResponse {
  /** Directory for the embedded store of the server. An absolute path. */
  readonly dataDir: string
}

const NOTICE =
  'This is not etcd: it is a stand-in by binnacle, which stores nothing. The kube-apiserver beside it keeps its objects in its embedded store.'

/** Help text. envtest parses it to find out which flags etcd supports. */
const HELP = `${NOTICE}

Flags that have an effect:
  --listen-client-urls 'http://localhost:2379'
    URLs of the health endpoint.
  --data-dir 'default.etcd'
    Directory for the embedded store of the kube-apiserver beside it.

All other flags are ignored.
`

/** The flags of etcd that the stand-in uses. */
export interface StandInOptions {
  readonly listen: readonly { readonly host: string; readonly port: number }[]
  readonly dataDir: string
}

/** Parses a command line of etcd. All flags but two are ignored. Throws a FlagError if a URL is not plain HTTP. */
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
  if (url?.protocol !== 'http:')
    throw new FlagError(`--listen-client-urls: ${JSON.stringify(text)}: a stand-in for etcd supports plain HTTP only`)
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 80) }
}

/**
 * Serves `/health` like etcd, and STAND_IN_PATH. All other requests get 501 with a notice. Resolves when it listens,
 * with a function that closes it.
 */
export async function serveStandIn({ listen, dataDir }: StandInOptions): Promise<() => Promise<void>> {
  makePrivateDirectory(dataDir)
  const answer: StandInResponse = { dataDir }
  const handle: RequestListener = ({ method, url }, response) => {
    const known = method === 'GET' && (url === '/health' ? { health: 'true', reason: '' } : url === STAND_IN_PATH ? answer : undefined)
    response
      .writeHead(known ? 200 : 501, { 'content-type': known ? 'application/json' : 'text/plain' })
      .end(known ? JSON.stringify(known) : `${NOTICE}\n`)
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

/** Runs the stand-in until a signal stops it. Resolves with the exit code. */
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
