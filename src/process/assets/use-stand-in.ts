import { get } from 'node:http'
import { isAbsolute } from 'node:path'
import type { Config } from '../../config/config.ts'
import { FlagError } from '../../config/parse-flags.ts'
import type { Logger } from '../../lib/log.ts'
import { STAND_IN_PATH } from './etcd-stand-in.ts'

/** Timeout of the request to a stand-in, in milliseconds. */
const ASK_MS = 2_000
/** Largest response of a stand-in, in bytes. It contains little more than a path. */
const MOST_BYTES = 16 * 1024
/** Hosts of stand-ins: the server uses their directory, so they must run on this machine. */
const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost']

/**
 * Returns the configuration with the embedded store in the stand-in's directory if --etcd-servers names a stand-in;
 * otherwise returns it unchanged. Throws a FlagError if a flag needs more than the embedded store supports.
 */
export async function withStandIn(config: Config, log: Logger): Promise<Config> {
  const {
    storage,
    files,
    process: { workers },
  } = config
  const { etcd } = storage
  if (etcd === undefined || etcd.servers.length !== 1) return config
  const dataDir = await dataDirOf(etcd.servers[0] ?? '')
  if (dataDir === undefined) return config
  if (workers > 1)
    throw new FlagError(
      `--workers=${workers} needs etcd: ${etcd.servers[0]} is a stand-in for one, and the embedded store is for one process`,
    )
  if (etcd.overrides.length > 0)
    throw new FlagError(`--etcd-servers-overrides needs etcd: ${etcd.servers[0]} is a stand-in for one, whose store holds all resources`)
  log.warn('--etcd-servers names a stand-in for etcd: objects are stored in the embedded store', { server: etcd.servers[0], dataDir })
  return Object.freeze({ ...config, storage: { ...storage, etcd: undefined }, files: { ...files, dataDir } })
}

/** Returns the directory of a stand-in. Undefined if the server is not a stand-in or cannot be reached. */
async function dataDirOf(server: string): Promise<string | undefined> {
  const url = URL.canParse(server) ? new URL(STAND_IN_PATH, server) : undefined
  if (url?.protocol !== 'http:' || !LOOPBACK.includes(url.hostname)) return undefined
  try {
    const answer: unknown = JSON.parse(await fetchText(url))
    if (typeof answer !== 'object' || answer === null || !('dataDir' in answer)) return undefined
    return typeof answer.dataDir === 'string' && isAbsolute(answer.dataDir) ? answer.dataDir : undefined
  } catch {
    return undefined
  }
}

const fetchText = (url: URL): Promise<string> =>
  new Promise((resolve, reject) => {
    const asked = get(url, { agent: false, signal: AbortSignal.timeout(ASK_MS) }, response => {
      let text = ''
      response.setEncoding('utf8').on('error', reject)
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length > MOST_BYTES) response.destroy(new Error('the response is too long'))
      })
      response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(`${response.statusCode}`))))
    })
    asked.on('error', reject)
  })
