/** The program of a copy of the shared host: a child that is nobody's own program and loads the classes of all its instances. */
import { runChild } from "./child.ts";

runChild();
