import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CodeBlock, isServing, isShown, shownCommands } from '../../hack/docs/code-blocks.ts'
import { type EtcdServer, startEtcd } from './etcd.ts'
import { freePorts } from './free-ports.ts'

const root = join(import.meta.dirname, '../..')
/** Files that each session has of its own in its copy of the repository, besides `bin`. */
const OWN = new Set(['.git', 'bin', 'data', 'release'])
const READY_MS = 120_000
/** With a network, modules are downloaded. */
const COMMAND_MS = process.env.DOCS_NETWORK === '1' ? 900_000 : 60_000
/** Ports that pages name: other tests and servers of the reader may have them. */
const PORTS = [6443, 6444, 16443, 8080, 2379]

/** Result of a command. */
interface Ran {
  readonly status: number
  readonly printed: string
}

/**
 * The blocks of one page, run in their order by one shell, in a directory that looks like a clone in which `make build`
 * has run. Ports that the page names are others here, and a server that is started without a port gets that of the
 * page.
 */
export class DocumentedSession {
  #directory = ''
  readonly #ports = new Map<number, number>()
  readonly #serving: ChildProcess[] = []
  #shell: ChildProcess | undefined
  #etcd: EtcdServer | undefined
  #printed = ''
  #commands = 0

  async open(): Promise<void> {
    this.#directory = mkdtempSync(join(tmpdir(), 'binnacle-page-'))
    for (const port of PORTS) this.#ports.set(port, await freePorts.take())
    for (const name of readdirSync(root)) if (!OWN.has(name)) symlinkSync(join(root, name), join(this.#directory, name))
    for (const name of ['binnacle', 'kube-apiserver']) this.#addServer(name)
    // The existing build is tested: a page does not rebuild it during other tests.
    this.#addProgram('make', 'exec "$(type -ap make | sed -n 2p)" -o dist/main.cjs -o node_modules/.installed "$@"')
    const shell = this.#spawn(['bash'])
    this.#shell = shell
    const take = (data: Buffer): void => {
      this.#printed += data.toString()
    }
    shell.stdout?.on('data', take)
    shell.stderr?.on('data', take)
  }

  async close(): Promise<void> {
    for (const child of [...this.#serving, this.#shell]) end(child)
    await this.#etcd?.stop()
    await sleep(100)
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }

  /** Throws an Error that says what was expected. */
  async run({ language, text, marker }: CodeBlock): Promise<void> {
    if (marker.needs.includes('etcd') && this.#etcd === undefined) {
      this.#etcd = await startEtcd()
      this.#ports.set(2379, Number(new URL(this.#etcd.url).port))
    }
    const here = this.#here(text)
    if (marker.file !== undefined) return this.#write(marker.file, here)
    if (marker.serves || isServing(here)) return this.#serve(language, here, marker.isBeside === true)
    if (language !== 'console') return this.#expect(`set -e\n${here}\nset +e`, marker.exits, '')
    const commands = shownCommands(here)
    for (const [i, { command, output }] of commands.entries())
      await this.#expect(command, i === commands.length - 1 ? marker.exits : 0, output)
  }

  async #expect(command: string, status: number, output: string): Promise<void> {
    const ran = await this.#execute(command)
    if (ran.status !== status) throw new Error(`exit status ${ran.status} of ${command}\n${ran.printed}`)
    if (output !== '' && !isShown(output, ran.printed))
      throw new Error(`${command}\nprinted:\n${ran.printed}\nand the page shows:\n${output}`)
  }

  async #execute(command: string): Promise<Ran> {
    const end = `--- ${++this.#commands} done:`
    this.#printed = ''
    this.#shell?.stdin?.write(`${command}\nprintf '\\n${end} %s\\n' $?\n`)
    const deadline = Date.now() + COMMAND_MS
    for (;;) {
      const [printed = '', rest] = this.#printed.split(`\n${end} `)
      // Background processes may print after it.
      const [, ended] = /^(\d+)\n/.exec(rest ?? '') ?? []
      if (ended !== undefined) return { status: Number(ended), printed }
      const status = this.#shell?.exitCode
      if (typeof status === 'number') throw new Error(`the shell has ended with ${status} in ${command}\n${this.#printed}`)
      if (Date.now() > deadline) throw new Error(`no end of ${command}\n${this.#printed}`)
      await sleep(10)
    }
  }

  /** Runs a block beside the others until the server that it starts is ready, or has printed what the page shows. */
  async #serve(language: string, text: string, isBeside: boolean): Promise<void> {
    if (!isBeside) await this.#endServing()
    const [shown] = language === 'console' ? shownCommands(text) : []
    const child = this.#spawn(['bash', '-c', shown?.command ?? text])
    this.#serving.push(child)
    let printed = ''
    let stdout = ''
    child.stdout?.on('data', data => {
      stdout += data
      printed += data
    })
    child.stderr?.on('data', data => {
      printed += data
    })
    const port = Number(/--secure-port[= ](\d+)/.exec(text)?.[1] ?? this.#ports.get(6443))
    const isReady = async (): Promise<boolean> => (shown && shown.output !== '' ? isShown(shown.output, stdout) : answers(port))
    for (const deadline = Date.now() + READY_MS; !(await isReady()); await sleep(50)) {
      if (child.exitCode !== null) throw new Error(`the server has ended: ${text}\n${printed}`)
      if (Date.now() > deadline) throw new Error(`the server is not ready: ${text}\n${printed}`)
    }
  }

  async #endServing(): Promise<void> {
    for (const child of this.#serving.splice(0)) {
      end(child)
      while (child.exitCode === null && child.signalCode === null) await sleep(20)
    }
    while (await answers(this.#ports.get(6443) ?? 0)) await sleep(20)
  }

  #here = (text: string): string => text.replace(/\b\d{4,5}\b/g, number => String(this.#ports.get(Number(number)) ?? number))

  #write(name: string, text: string): void {
    const file = join(this.#directory, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${text}\n`)
  }

  /** Adds a program of `bin` that serves on the port of the page by default. */
  #addServer(name: string): void {
    const program = join(root, 'bin', name)
    const named = '[[ $argument == --secure-port* || $argument == --ephemeral* || $argument == --version || $argument == --help ]]'
    const isNamed = `[[ $# -gt 0 && $1 != -* ]] && exec ${program} "$@"\nfor argument; do ${named} && exec ${program} "$@"; done`
    this.#addProgram(name, `${isNamed}\nexec ${program} "$@" --secure-port ${this.#ports.get(6443)}`)
  }

  #addProgram(name: string, script: string): void {
    this.#write(`bin/${name}`, `#!/bin/bash\n${script}`)
    chmodSync(join(this.#directory, 'bin', name), 0o755)
  }

  #spawn([program = '', ...args]: readonly string[]): ChildProcess {
    const { HOME = '' } = process.env
    const KUBECONFIG = join(this.#directory, 'data/admin.kubeconfig')
    const PATH = `${join(this.#directory, 'bin')}:${process.env.PATH}`
    const env = {
      ...process.env,
      KUBECONFIG,
      PATH,
      PORT: String(this.#ports.get(6443)),
      HOME: this.#directory,
      GOFLAGS: '-mod=mod',
      ...cachesOf(HOME),
      BINNACLE: join(root, 'bin/binnacle'),
    }
    return spawn(program, args, { cwd: this.#directory, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  }
}

/** Caches of downloads that all sessions share. */
const cachesOf = (home: string) => ({
  GOPATH: join(home, 'go'),
  GOCACHE: join(home, '.cache/go-build'),
  npm_config_cache: join(home, '.npm'),
})

/** Ends a process and all that it has started. */
function end(child: ChildProcess | undefined): void {
  try {
    if (child?.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
  } catch {
    // It has ended by itself.
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const asked = request({ host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, agent: false }, answer => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    asked.on('error', () => resolve(false)).end()
  })
