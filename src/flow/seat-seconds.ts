/** Work in 10⁻⁸ seat-seconds. Integers, so that sums and differences are exact. */
export type SeatSeconds = number

const SCALE = 1e8
const PER_MILLISECOND = SCALE / 1000

/** Maximum exact value: 2.8 years of one seat, or 1.7 days of 600. */
export const MAX_SEAT_SECONDS: SeatSeconds = Number.MAX_SAFE_INTEGER

/** Returns the work of seats over a duration, rounded to the unit. */
export const seatsTimesDuration = (seats: number, milliseconds: number): SeatSeconds => Math.round(seats * milliseconds * PER_MILLISECOND)

/** Converts work to seat-seconds. */
export const seatSecondsToFloat = (work: SeatSeconds): number => work / SCALE

/** Returns the milliseconds for which a number of seats is busy with the work. */
export const durationPerSeat = (work: SeatSeconds, seats: number): number => work / seats / PER_MILLISECOND

/** Formats work as Go does: `12.00300000ss`. */
export function formatSeatSeconds(work: SeatSeconds): string {
  const whole = Math.trunc(work / SCALE)
  const sign = work < 0 ? '-' : ''
  return `${sign}${Math.abs(whole)}.${String(Math.abs(work - whole * SCALE)).padStart(8, '0')}ss`
}
