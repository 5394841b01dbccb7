/** User-Agent of the server's requests to itself and to other servers. */
export const USER_AGENT = 'binnacle'
