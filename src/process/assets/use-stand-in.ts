import { get } from 'node:http'
import { isAbsolute } from 'node:path'
import type { Config } from '../../config/config.ts'
import { FlagError } from '../../config/parse-flags.ts'
import type { Logger } from '../../lib/log.ts'
import { STAND_IN_PATH } from './etcd-stand-in.ts'

const ASK_MS = 2_000
/** A path, and little around it. */
const MOST_BYTES = 16 * 1024
/** A stand-in is a process of this machine, whose files this one can use. */
const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost']

/** The configuration with the embedded store, in the directory that the stand-in was given, where the server of --etcd-servers is one; otherwise as it is. Throws FlagError for what the embedded store can not do. */
export async function withStandIn(config: Config, log: Logger): Promise<Config> {
  const { etcd, workers } = config
  if (etcd === undefined || etcd.servers.length !== 1) return config
  const dataDir = await dataDirOf(etcd.servers[0] ?? '')
  if (dataDir === undefined) return config
  if (workers > 1) throw new FlagError(`--workers=${workers} needs etcd: ${etcd.servers[0]} is a stand-in for one, and the embedded store is for one process`)
  if (etcd.overrides.length > 0)
    throw new FlagError(`--etcd-servers-overrides needs etcd: ${etcd.servers[0]} is a stand-in for one, whose store holds all resources`)
  log.warn('--etcd-servers names a stand-in for etcd: objects are stored in the embedded store', { server: etcd.servers[0], dataDir })
  return Object.freeze({ ...config, etcd: undefined, dataDir })
}

/** Undefined where it is no stand-in, or nobody answers. */
async function dataDirOf(server: string): Promise<string | undefined> {
  const url = URL.canParse(server) ? new URL(STAND_IN_PATH, server) : undefined
  if (url?.protocol !== 'http:' || !LOOPBACK.includes(url.hostname)) return undefined
  try {
    const answer: unknown = JSON.parse(await textOf(url))
    if (typeof answer !== 'object' || answer === null || !('dataDir' in answer)) return undefined
    return typeof answer.dataDir === 'string' && isAbsolute(answer.dataDir) ? answer.dataDir : undefined
  } catch {
    return undefined
  }
}

const textOf = (url: URL): Promise<string> =>
  new Promise((resolve, reject) => {
    const asked = get(url, { agent: false, signal: AbortSignal.timeout(ASK_MS) }, response => {
      let text = ''
      response.setEncoding('utf8').on('error', reject)
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length > MOST_BYTES) response.destroy(new Error('it is too long'))
      })
      response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(`${response.statusCode}`))))
    })
    asked.on('error', reject)
  })
