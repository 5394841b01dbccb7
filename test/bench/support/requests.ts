import http from 'node:http'

/** Requests over plain HTTP for what a benchmark needs done, not for what it measures. */
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
export const closeConnections = (): void => agent.destroy()

export interface Forms {
  /** Media type of the body. */
  readonly type?: string
  readonly accept?: string
}

/** Returns the body of the response. Rejects if it is not a success. */
export function send(
  port: number,
  method: string,
  path: string,
  body?: object,
  { type = 'application/json', accept }: Forms = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { 'User-Agent': 'bench', ...(body && { 'Content-Type': type }), ...(accept !== undefined && { Accept: accept }) }
    const request = http.request({ port, host: '127.0.0.1', method, path, agent, headers }, response => {
      const parts: Buffer[] = []
      response.on('data', part => parts.push(part))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(parts)
        if ((response.statusCode ?? 500) < 300) resolve(bytes)
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${bytes.toString().slice(0, 500)}`))
      })
    })
    request.on('error', reject)
    request.end(body && JSON.stringify(body))
  })
}

/** Runs something `count` times, so many at once. */
export async function inFlight(count: number, width: number, run: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) await run(next++)
    }),
  )
}

/** Returns a pod of 2 KB in its stored form. */
export const pod = (i: number): object => ({
  metadata: { name: `pod-${i}`, labels: { app: `app-${i % 100}` }, annotations: { note: 'x'.repeat(300) } },
  spec: {
    containers: [
      {
        name: 'main',
        image: 'registry.example/app:1',
        env: [{ name: 'A', value: 'b' }],
        resources: { requests: { cpu: '100m', memory: '64Mi' } },
      },
    ],
  },
})
