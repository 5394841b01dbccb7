import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, type RequestOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from './free-ports.ts'

const READY_MS = 120_000

/** A kube-apiserver of the real machinery, which requires a token and has a self-signed certificate. */
export interface KubeApiserver {
  readonly url: string
  /** How to ask it, as an administrator. */
  readonly access: RequestOptions
  stop(): Promise<void>
}

/** Returns the program in $KUBE_APISERVER, or undefined. */
export const findKubeApiserver = (): string | undefined => {
  const path = process.env.KUBE_APISERVER
  return path !== undefined && existsSync(path) ? path : undefined
}

/** Starts it on an etcd. Resolves once it is ready. */
export async function startKubeApiserver(program: string, etcd: string, flags: readonly string[]): Promise<KubeApiserver> {
  const directory = mkdtempSync(join(tmpdir(), 'kube-apiserver-'))
  const file = (name: string): string => join(directory, name)
  execFileSync('openssl', ['genrsa', '-out', file('sa.key'), '2048'], { stdio: 'ignore' })
  writeFileSync(file('tokens.csv'), 'admin,admin,admin,"system:masters"\n')
  const port = await freePorts.take()
  const own = [
    ...[
      '--etcd-servers',
      etcd,
      '--secure-port',
      String(port),
      '--bind-address',
      '127.0.0.1',
      '--advertise-address',
      '127.0.0.1',
      '--cert-dir',
      file('certs'),
    ],
    ...[
      '--service-account-issuer',
      'https://kube',
      '--service-account-key-file',
      file('sa.key'),
      '--service-account-signing-key-file',
      file('sa.key'),
    ],
    ...[
      '--token-auth-file',
      file('tokens.csv'),
      '--authorization-mode',
      'RBAC',
      '--disable-admission-plugins',
      'ServiceAccount',
      '--endpoint-reconciler-type',
      'none',
    ],
  ]
  const child: ChildProcess = spawn(program, [...own, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr?.on('data', (text: Buffer) => {
    log = (log + text.toString()).slice(-4000)
  })
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false })
  const stop = async (): Promise<void> => {
    agent.destroy()
    child.kill('SIGKILL')
    while (child.exitCode === null && child.signalCode === null) await sleep(20)
    rmSync(directory, { recursive: true, force: true })
  }
  const url = `https://127.0.0.1:${port}`
  const access: RequestOptions = { agent, headers: { authorization: 'Bearer admin' } }
  for (const deadline = Date.now() + READY_MS; !(await isReady(url, access)); await sleep(200))
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error(`kube-apiserver is not ready:\n${log}`)
    }
  return { url, access, stop }
}

const isReady = (url: string, access: RequestOptions): Promise<boolean> =>
  new Promise(resolve => {
    request(`${url}/readyz`, access, response => {
      response.resume()
      resolve(response.statusCode === 200)
    })
      .on('error', () => resolve(false))
      .end()
  })
