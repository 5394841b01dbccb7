import { TooManyValuesError } from '../../codec/json-exact.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { DocumentTooLongError } from './backend-client.ts'

/** Whether a document exceeds a bound of this server. */
export const exceedsBound = (error: unknown): boolean => error instanceof DocumentTooLongError || error instanceof TooManyValuesError

/** Logs why documents of backends cannot be read. A document that exceeds a bound is a warning, once while that lasts, as it does not pass by itself; other failures are shown from level 2 on. */
export class DocumentFailures {
  readonly #logger: Logger
  readonly #message: string
  /** What was logged as a warning, by APIService. */
  readonly #warned = new Map<string, string>()

  constructor(logger: Logger, message: string) {
    this.#logger = logger
    this.#message = message
  }

  /** `name`: of the APIService. */
  failed(name: string, error: unknown): void {
    const text = errorMessage(error)
    if (!exceedsBound(error)) this.#logger.debug(2, this.#message, { name, error: text })
    else if (this.#warned.get(name) !== text) {
      this.#warned.set(name, text)
      this.#logger.warn(this.#message, { name, error: text })
    }
  }

  /** The document has been read, or its APIService is gone. */
  passed(name: string): void {
    this.#warned.delete(name)
  }
}
