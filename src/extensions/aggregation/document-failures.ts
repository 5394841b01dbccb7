import { TooManyValuesError } from '../../codec/json-exact.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { DocumentTooLongError } from './backend-client.ts'

/** Whether a document exceeds a limit of this server. */
export const exceedsBound = (error: unknown): boolean => error instanceof DocumentTooLongError || error instanceof TooManyValuesError

/**
 * Logs why documents of aggregated servers cannot be read. An exceeded limit is permanent, so it is logged as a
 * warning, once until it changes. Other failures are logged at level 2.
 */
export class DocumentFailures {
  readonly #logger: Logger
  readonly #message: string
  /** Last warning, by APIService. */
  readonly #warned = new Map<string, string>()

  constructor(logger: Logger, message: string) {
    this.#logger = logger
    this.#message = message
  }

  /** Logs a failure. @param name name of the APIService. */
  failed(name: string, error: unknown): void {
    const text = errorMessage(error)
    if (!exceedsBound(error)) this.#logger.debug(2, this.#message, { name, error: text })
    else if (this.#warned.get(name) !== text) {
      this.#warned.set(name, text)
      this.#logger.warn(this.#message, { name, error: text })
    }
  }

  /** Call it when the document was read or the APIService deleted. */
  passed(name: string): void {
    this.#warned.delete(name)
  }
}
