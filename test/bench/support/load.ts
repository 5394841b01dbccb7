import { readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'

/** Clients that cost little beside the server they measure: sockets that count bytes. */

export interface Rate {
  /** Requests per second. */
  readonly rate: number
  /** CPU of the server's processes, microseconds per request; NaN where the system does not tell. */
  readonly cpu: number
  /** Milliseconds of one request. */
  readonly p50: number
  readonly p99: number
}

const head = (port: number, path: string, accept: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: ${accept}\r\nUser-Agent: bench\r\n\r\n`

/** Microseconds of CPU that a process has used (Linux). */
export function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  } catch {
    return Number.NaN
  }
}

/**
 * The same of its present threads, to the nanosecond instead of to the hundredth of a second: for what begins and ends
 * while no thread does.
 */
export const cpuOfThreads = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce(
    (sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1000,
    0,
  )

/** The process and those that it has started (Linux), itself first. */
export function familyOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return [pid, ...(children === '' ? [] : children.split(' ').map(Number))]
  } catch {
    return [pid]
  }
}

/** The same of a server of several processes. */
export const cpuOfFamily = (pid: number): number => familyOf(pid).reduce((sum, each) => sum + cpuOf(each), 0)

const residentOf = (pid: number, what: 'VmRSS' | 'RssFile'): number => {
  try {
    return Number(new RegExp(`^${what}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}

/** Returns the resident memory of a process, in MiB (Linux). */
export const memoryOf = (pid: number): number => residentOf(pid, 'VmRSS')

/** Of that, what is mapped from files: the program and the embedded store. */
export const mappedOf = (pid: number): number => residentOf(pid, 'RssFile')

/** Asks for the path over keep-alive connections, one request at a time on each, for a while. */
export async function load(
  port: number,
  pid: number,
  path: string,
  seconds: number,
  connections = 16,
  accept = 'application/json',
): Promise<Rate> {
  const request = head(port, path, accept)
  const times: number[] = []
  let stop = false
  const before = cpuOfFamily(pid)
  const begun = performance.now()
  setTimeout(() => {
    stop = true
  }, seconds * 1000)
  await Promise.all(
    Array.from(
      { length: connections },
      () =>
        new Promise<void>((resolve, reject) => {
          let from = 0
          const ask = (): void => {
            from = performance.now()
            socket.write(request)
          }
          const socket = net.connect(port, '127.0.0.1', ask)
          socket.setNoDelay(true)
          let wanted = -1
          let got = 0
          socket.on('error', reject)
          socket.on('data', data => {
            got += data.length
            if (wanted < 0) wanted = lengthOf(data)
            if (got < wanted) return
            times.push(performance.now() - from)
            got = 0
            wanted = -1
            if (!stop) return ask()
            socket.destroy()
            resolve()
          })
        }),
    ),
  )
  const elapsed = (performance.now() - begun) / 1000
  return rateOf(times, elapsed, cpuOfFamily(pid) - before)
}

/**
 * Of operations that took so many milliseconds each, so many seconds in all, and so much of the server's CPU in all.
 */
export function rateOf(times: number[], seconds: number, cpu: number): Rate {
  times.sort((a, b) => a - b)
  return { rate: times.length / seconds, cpu: cpu / times.length, p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}

const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN

const agent = new http.Agent({ keepAlive: true })

/** Returns the body of a response. With `until`, it ends before this text, and the connection is cut. */
export function ask(port: number, path: string, accept: string, until?: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const request = http.get({ port, host: '127.0.0.1', path, agent, headers: { Accept: accept, 'User-Agent': 'bench' } }, response => {
      const parts: Buffer[] = []
      const over = () => resolve(Buffer.concat(parts))
      response.on('data', (part: Buffer) => {
        parts.push(part)
        if (until === undefined || !part.subarray(-1000).includes(until)) return
        over()
        request.destroy()
      })
      response.on('error', () => {})
      response.on('end', over)
    })
    request.on('error', reject)
  })
}

function lengthOf(data: Buffer): number {
  const text = data.subarray(0, 2048).toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  const length = /content-length: (\d+)/i.exec(text)?.[1]
  if (end < 0 || length === undefined || !text.startsWith('HTTP/1.1 200')) throw new Error(`unexpected answer: ${text.slice(0, 300)}`)
  return end + 4 + Number(length)
}

export interface Listeners {
  /** Bytes of events that all of them have received. */
  bytes(): number
  close(): void
}

/** Opens watches on the path and counts the bytes after the first response. Resolves when all are open. */
export async function listen(port: number, path: string, count: number): Promise<Listeners> {
  const request = head(port, path, 'application/json')
  let bytes = 0
  const sockets: net.Socket[] = []
  for (let i = 0; i < count; i += 50) {
    await Promise.all(
      Array.from(
        { length: Math.min(50, count - i) },
        () =>
          new Promise<void>((resolve, reject) => {
            const socket = net.connect({ port, host: '127.0.0.1', onread: { buffer: shared, callback: taken } }, () =>
              socket.write(request),
            )
            let open = false
            function taken(n: number): boolean {
              if (open) bytes += n
              else {
                open = true
                resolve()
              }
              return true
            }
            socket.on('error', reject)
            sockets.push(socket)
          }),
      ),
    )
  }
  return {
    bytes: () => bytes,
    close: () => {
      for (const socket of sockets) socket.on('error', () => {}).destroy()
    },
  }
}

/** Buffer into which all sockets read, as the bytes are not used. */
const shared = Buffer.alloc(1 << 20)

export const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
