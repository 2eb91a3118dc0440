export { compareTranscript } from "./compare.ts";
export { checkTranscript, type ReplayOptions, replayTranscript } from "./replay.ts";
export type {
  Address,
  Exchange,
  Replay,
  StartedServers,
  StartServers,
  Transcript,
  WireBody,
  WireCall,
  WirePeer,
  WireServer,
  WireSpec,
} from "./transcript.ts";
