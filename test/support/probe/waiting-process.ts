import { createProbeClient } from './client.ts'

/**
 * The process of a waiting client. It replies to `begin` after a first request, and to `end` with the longest wait in
 * milliseconds.
 */

const client = createProbeClient(process.argv[2] as string)

let isAsking = false
let longest = 0

async function ask(): Promise<void> {
  const start = performance.now()
  await client.ask('GET', '/healthz')
  longest = Math.max(longest, performance.now() - start)
}

async function askOn(): Promise<void> {
  while (isAsking) {
    await ask()
    await new Promise(resolve => setTimeout(resolve, 2))
  }
  process.send?.(longest)
}

process.on('message', async (message: 'begin' | 'end') => {
  isAsking = message === 'begin'
  if (!isAsking) return
  longest = 0
  await ask()
  process.send?.(0)
  await askOn()
})
