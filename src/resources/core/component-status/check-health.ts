import { request } from 'node:https'
import { boundExchange } from '../../../lib/bounded-exchange.ts'
import { DEADLINE, withDeadline } from '../../../lib/deadline.ts'
import { dialError } from '../../../lib/dial-error.ts'

/** Result of a health check: the body that the component sent, or the reason why it could not be reached. */
export interface Health {
  readonly isHealthy: boolean
  readonly message: string
}

const TIMEOUT_MS = 20_000
/** Limit on the size of a response, in bytes. A health endpoint returns `ok` or the list of its checks. */
const MOST_BYTES = 10 * 1024

/**
 * Requests the health of a component on this machine. Its certificate is not verified, because the request carries
 * nothing secret. A status of 200 to 399 is healthy. Failures are described in the words of Go's HTTP client. Never
 * rejects.
 */
export function checkHealth(port: number, signal: AbortSignal): Promise<Health> {
  return withDeadline(signal, TIMEOUT_MS, within => askHealth(port, within))
}

function askHealth(port: number, signal: AbortSignal): Promise<Health> {
  const address = `127.0.0.1:${port}`
  const url = `https://${address}/healthz`
  return new Promise(resolve => {
    const unhealthy = (message: string): void => resolve({ isHealthy: false, message })
    const failed = (error: unknown): void =>
      unhealthy(signal.aborted ? `Get "${url}": ${DEADLINE}` : `Get "${url}": ${dialError(error, address).message}`)
    const asked = request(url, { rejectUnauthorized: false, agent: false, signal }, answer => {
      const { statusCode = 0 } = answer
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (part: string) => {
        if (text.length < MOST_BYTES) text += part
      })
      answer.on('error', failed)
      answer.on('end', () => {
        if (statusCode >= 200 && statusCode < 400) resolve({ isHealthy: true, message: text.slice(0, MOST_BYTES) })
        else unhealthy(`HTTP probe failed with statuscode: ${statusCode}`)
      })
    })
    boundExchange(asked)
    asked.on('error', failed)
    asked.end()
  })
}
