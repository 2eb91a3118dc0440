/** The only code that prints, and the texts that it prints. */
export { failureJson, failureText, defectText } from "./failure.ts";
export { profileText } from "./profile.ts";
export { followCollection } from "./progress.ts";
export { followServers } from "./servers.ts";
export { statusText } from "./status.ts";
export { summaryText } from "./summary.ts";
