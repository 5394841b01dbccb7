/** The User-Agent of the server's own requests, to itself and to others. */
export const USER_AGENT = 'binnacle'
