/** Structured log lines. `level` is klog's verbosity: a line is written when it is at or below the configured `-v`. */
export interface Logger {
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
  /** A line that appears only from verbosity `level` upwards. */
  debug(level: number, message: string, fields?: Record<string, unknown>): void
}

const pass = () => {}
export const silentLogger: Logger = { info: pass, warn: pass, error: pass, debug: pass }
