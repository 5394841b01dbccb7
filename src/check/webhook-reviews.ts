import { WebhookCallError } from '../admission/webhooks/call-error.ts'
import { isJsonObject, type JsonObject, objectIn } from '../api/meta/object.ts'
import { parseJson } from '../codec/json.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { WebhookName } from '../meta/context.ts'
import { objectFinding } from './findings/finding.ts'
import type { InputObject } from './input/input-object.ts'
import type { CheckFinding } from './types.ts'

/** Longest wait for the response of a webhook, in milliseconds. */
const MOST_MS = 10_000

/** Calls of one webhook that were not made. */
interface MissedCalls {
  readonly webhook: WebhookName
  readonly first: InputObject
  count: number
}

/**
 * Reviews of admission webhooks: sent to the URLs that the user names. Other webhooks admit every object, and are
 * recorded.
 */
export class WebhookReviews {
  readonly #urls: Readonly<Record<string, string>>
  readonly #missed = new Map<string, MissedCalls>()
  /** Object whose request is being served. Undefined for requests of the check itself, which are not recorded. */
  current: InputObject | undefined

  /** @param urls URLs by the names of webhooks. */
  constructor(urls: Readonly<Record<string, string>>) {
    this.#urls = urls
  }

  /**
   * Returns an AdmissionReview with the response. Rejects with WebhookCallError if a named URL does not respond
   * with 200.
   */
  readonly review = async (webhook: WebhookName, review: string): Promise<Buffer> => {
    const url = Object.hasOwn(this.#urls, webhook.name) ? this.#urls[webhook.name] : undefined
    if (url !== undefined) return postReview(url, review)
    this.#note(webhook)
    return admitted(review)
  }

  #note(webhook: WebhookName): void {
    if (this.current === undefined) return
    const key = `${webhook.configuration}/${webhook.name}`
    const known = this.#missed.get(key)
    if (known) known.count++
    else this.#missed.set(key, { webhook, first: this.current, count: 1 })
  }

  /** Findings about webhooks that were not called, one for each, at the first object that would be sent to it. */
  findings(): CheckFinding[] {
    return Array.from(this.#missed.values(), ({ webhook: { configuration, name }, first, count }) =>
      objectFinding(
        first,
        'webhook-not-called',
        'note',
        `webhook "${name}" of ${configuration} would be called for ${count === 1 ? 'this object' : `${count} objects`}, and was not`,
        { by: name, advice: `pass --webhook ${name}=URL if it runs on this machine` },
      ),
    )
  }
}

/** Response that admits the object of a review. */
function admitted(review: string): Buffer {
  const { value } = parseJson(Buffer.from(review))
  const { apiVersion = null, request = null }: JsonObject = isJsonObject(value) ? value : {}
  return Buffer.from(JSON.stringify({ apiVersion, kind: 'AdmissionReview', response: { uid: objectIn(request).uid, allowed: true } }))
}

async function postReview(url: string, review: string): Promise<Buffer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: review,
      redirect: 'error',
      signal: AbortSignal.timeout(MOST_MS),
    })
    const body = Buffer.from(await response.arrayBuffer())
    if (response.status !== 200) throw new WebhookCallError(`the server responded with ${response.status}`, { code: response.status })
    return body
  } catch (error) {
    if (error instanceof WebhookCallError) throw error
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw new WebhookCallError(`Post ${JSON.stringify(url)}: ${errorMessage(cause)}`)
  }
}
