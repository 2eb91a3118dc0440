#!/usr/bin/env node
import("./launch.js").then(({ launch }) => launch("ng-list-benchmarks"));
